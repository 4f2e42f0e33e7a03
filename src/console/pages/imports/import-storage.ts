import { Readable } from 'node:stream';
import { CreateImportDto } from '../../../imports/dto/create-import.dto.js';
import type { FoundImport } from '../../../imports/imports.repository.js';
import { ImportsService } from '../../../imports/imports.service.js';
import { readAs, type Fields } from '../../access/fields.js';
import { actorOfVisitor, type VisitorRequest } from '../../access/visitor.js';

/** What became of an uploaded file. */
export interface UploadedImport {
  created?: FoundImport;
  error?: unknown;
}

interface UploadRequest extends VisitorRequest {
  /** The fields that precede the file in the form. */
  body: Fields;
}

interface IncomingFile {
  originalname: string;
  stream: Readable;
}

/** A storage engine of multer: the file becomes an import while it arrives. */
export class ImportStorage {
  constructor(private readonly imports: ImportsService) {}

  async _handleFile(
    request: UploadRequest,
    file: IncomingFile,
    done: (error: null, info: UploadedImport) => void,
  ): Promise<void> {
    const uploaded = await this.create(request, file).catch((error: unknown) => ({ error }));
    // A file that nobody began to read is discarded, so that the browser gets to read the response.
    file.stream.resume();
    done(null, uploaded);
  }

  /** An import that was created stays. */
  _removeFile(_request: UploadRequest, _file: IncomingFile, done: (error: null) => void): void {
    done(null);
  }

  private async create(
    { body, visitor }: UploadRequest,
    { originalname, stream }: IncomingFile,
  ): Promise<UploadedImport> {
    const isCompressed = /\.gz$/i.test(originalname);
    const filename = isCompressed ? originalname.slice(0, -'.gz'.length) : originalname;
    const asked = (await readAs(CreateImportDto, { ...body, filename })).toNewImport();
    const { accountId } = visitor!;
    const actor = actorOfVisitor(visitor!);
    const file = Readable.from(piecesOf(stream), { objectMode: false });
    try {
      return {
        created: await this.imports.create({ accountId, actor }, asked, undefined, file, isCompressed),
      };
    } finally {
      file.destroy();
    }
  }
}

/** A file that is refused early is discarded, not destroyed: multer would report that instead of the reason. */
async function* piecesOf(file: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const piece of file.iterator({ destroyOnReturn: false })) {
      yield piece;
    }
  } finally {
    file.resume();
  }
}
