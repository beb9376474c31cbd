import { expect, test } from 'vitest';
import { Http2Call } from './http2-call.ts';

const connection = { leave() {}, widen() {} };
const ending = { hasEnded: false, onEnd() {}, offEnd() {} };
const request = { method: 'GET', path: '/', authority: 'ext:443', headers: {}, body: undefined };

test('small pieces that wait for their reader are joined, and arrive whole', async () => {
  const call = new Http2Call(connection, { id: 1, sendWindow: 0 }, request, ending);
  const answer = call.answered();
  call.onHeaders({ status: 200, headers: {}, isMalformed: false }, false);
  const { body } = await answer;
  const sent = Buffer.from(Array.from({ length: 50_000 }, (_, i) => i % 251));
  for (let at = 0; at < sent.length; at++) call.onData(sent.subarray(at, at + 1), 1, at === sent.length - 1);
  const pieces: Uint8Array[] = [];
  body.read({ onPiece: (piece) => pieces.push(piece), onEnd() {}, onError() {} });
  expect(pieces.length).toBeLessThan(20);
  expect(Buffer.concat(pieces).equals(sent)).toBe(true);
});
