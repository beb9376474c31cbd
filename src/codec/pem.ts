// PEM: blocks of base64 in a text.

export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const pemForm = /-----BEGIN ([A-Z0-9 ]{1,64})-----\r?\n([^-]*)-----END \1-----/g;
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

/** All blocks of a PEM text; what stands between them, and a block that is no base64, is ignored. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return [...text.matchAll(pemForm)].flatMap(([, type = '', body = '']) => {
    const lines = body.split(/\r?\n/);
    const content = lines
      .filter((line) => !line.includes(':'))
      .join('')
      .replace(/[ \t]/g, '');
    if (content.length % 4 !== 0 || !base64Form.test(content)) return [];
    return [{ type, hasHeaders: lines.some((line) => line.includes(':')), bytes: Buffer.from(content, 'base64') }];
  });
}
