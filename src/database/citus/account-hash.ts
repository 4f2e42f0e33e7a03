/**
 * The hash of an account by which Citus divides it: PostgreSQL's `hashint4` (src/common/hashfn.c, `hash_bytes_uint32`), which is
 * Bob Jenkins's lookup3 for one word.
 *
 * @returns a signed 32-bit integer
 */
export function hashAccount(accountId: number): number {
  const seed = 0x9e37_79b9 + 4 + 3_923_095;
  let a = (seed + accountId) | 0;
  let b = seed | 0;
  let c = seed | 0;
  c = ((c ^ b) - rotate(b, 14)) | 0;
  a = ((a ^ c) - rotate(c, 11)) | 0;
  b = ((b ^ a) - rotate(a, 25)) | 0;
  c = ((c ^ b) - rotate(b, 16)) | 0;
  a = ((a ^ c) - rotate(c, 4)) | 0;
  b = ((b ^ a) - rotate(a, 14)) | 0;
  return ((c ^ b) - rotate(b, 24)) | 0;
}

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));
