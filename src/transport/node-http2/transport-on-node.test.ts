// The tests of the transport, on Node's implementation of HTTP/2.

import { describe } from 'vitest';
import { testHttp2 } from '../../testing/tested-http2.ts';

testHttp2('node');

describe('the rules of HTTP/2', () => import('../http2/http2-session.test.ts').then(nothing));
describe('hostile clients', () => import('../http2/hostile-clients.test.ts').then(nothing));
describe('flow control', () => import('../http2/flow-control.test.ts').then(nothing));
describe('frames of any kind', () => import('../http2/frames-of-any-kind.test.ts').then(nothing));
describe("Node's client", () => import('../http2/node-clients.test.ts').then(nothing));

function nothing(): void {}
