/** Keyed by POSIX error code. */
type Problems = Readonly<Record<string, string>>;

const OF_READING: Problems = {
  ENOENT: 'it does not exist',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its path leads through a file',
};
const OF_WRITING: Problems = {
  ENOENT: 'its folder does not exist',
  EACCES: 'this user may not write to its folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'its path leads through a file',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};

/** A clause that says why a file cannot be read. */
export function fileProblem(error: unknown, problems = OF_READING): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return problems[code] ?? message;
}

/** A clause that says why a file cannot be written. */
export function writingProblem(error: unknown): string {
  return fileProblem(error, OF_WRITING);
}
