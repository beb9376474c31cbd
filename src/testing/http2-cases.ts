// For tests: the rules of HTTP/2 (RFC 9113) and of its header compression (RFC 7541) that a server can be seen to keep, one row each. The
// public tool h2spec checks these rules too; words and bytes are ours.

import { type Bytes, field, frame, word } from './http2-bytes.ts';
import { get, post } from './raw-http2-client.ts';

/** What a client sees: frames of the answer to stream 1, a reset of a stream, or the end of the connection, with their codes. */
export type Outcome = 'answered' | 'goes on' | 'closed' | `data ${number}` | `reset ${number}` | `goaway ${number}`;

/** Bytes to send, or what to wait for. */
type Step = Buffer | 'until answered' | 'until data' | 'until acknowledged';

export interface Http2Case {
  /** The section: of RFC 9113, or of RFC 7541 where it begins with `hpack`. */
  readonly section: string;
  readonly title: string;
  readonly steps: readonly Step[];
  /** Each of these keeps the rule. */
  readonly allowed: readonly Outcome[];
  /** The client does not begin with its preface and settings: the steps do. */
  readonly isUngreeted?: true;
}

const code = { protocol: 1, flowControl: 3, streamClosed: 5, frameSize: 6, refused: 7, cancel: 8, compression: 9 };
const [end, endHeaders, padded, priority] = [1, 4, 8, 32];

const answered = ['answered'] as const;
const goesOn = ['goes on'] as const;
const connectionError = (...codes: readonly number[]) => codes.map((one) => `goaway ${one}` as const);
/** A server may end the connection instead. */
const streamError = (...codes: readonly number[]) =>
  codes.flatMap((one) => [`reset ${one}` as const, `goaway ${one}` as const]);

const headers = (block: Bytes = get, flags = end | endHeaders, stream = 1) => frame(1, flags, stream, block);
const opened = (block: Bytes = post) => headers(block, endHeaders);
const data = (text: Bytes = 'test', flags = end, stream = 1) => frame(0, flags, stream, text);
const reset = (stream = 1, why = code.cancel) => frame(3, 0, stream, word(why));
const depends = (on: number, weight: number) => Buffer.concat([word(on), Buffer.of(weight)]);
const priorityFrame = (stream = 1, on = 0, weight = 255) => frame(2, 0, stream, depends(on, weight));
const setting = (id: number, value: number) => Buffer.concat([Buffer.of(0, id), word(value)]);
const settings = (...values: readonly Buffer[]) => frame(4, 0, 0, Buffer.concat(values));
const initialWindow = (bytes: number) => settings(setting(4, bytes));
const ping = (flags = 0, stream = 0, payload = '12345678') => frame(6, flags, stream, payload);
const goaway = (why = 0, stream = 0) => frame(7, 0, stream, Buffer.concat([word(0), word(why)]));
const window = (bytes: number, stream = 1) => frame(8, 0, stream, word(bytes));
const continuation = (block: Bytes, flags = endHeaders, stream = 1) => frame(9, flags, stream, block);
const unknown = () => frame(22, 0, 0, '12345678');

const maxWindow = 2 ** 31 - 1;
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const { length: getLength } = get;
const firstPart = get.slice(0, 2);
const otherPart = get.slice(2);

type Row = readonly [title: string, steps: readonly Step[], allowed: readonly Outcome[]];
const section = (name: string, ...rows: readonly Row[]): Http2Case[] =>
  rows.map(([title, steps, allowed]) => ({ section: name, title, steps, allowed }));

const connection: readonly Http2Case[] = [
  {
    section: '3.4',
    title: 'a preface and settings',
    steps: [preface, initialWindow(65_535)],
    allowed: goesOn,
    isUngreeted: true,
  },
  {
    section: '3.4',
    title: 'a preface, to which the settings of the server are the first frame',
    steps: [preface, settings()],
    allowed: goesOn,
    isUngreeted: true,
  },
  {
    section: '3.4',
    title: 'an invalid preface',
    steps: [Buffer.from('NOT A PREFACE OF HTTP/2\r\n\r\n')],
    allowed: [...connectionError(code.protocol), 'closed'],
    isUngreeted: true,
  },
  ...section(
    '4.1',
    ['a frame of an unknown type', [unknown()], goesOn],
    ['flags that a ping does not have', [ping(22)], goesOn],
    ['the reserved bit of a ping', [frame(6, 22, 2 ** 31, '12345678')], goesOn],
  ),
  ...section(
    '4.2',
    ['data as long as a frame may be', [opened(), data(Buffer.alloc(16_384))], answered],
    ['data longer than a frame may be', [opened(), data(Buffer.alloc(16_385))], streamError(code.frameSize)],
    [
      'headers longer than a frame may be',
      [headers(get + field('a', 'x'.repeat(16_400)))],
      connectionError(code.frameSize),
    ],
  ),
  ...section(
    '4.3',
    ['a block of headers that is cut off', [headers('\x40')], connectionError(code.compression)],
    ['a priority amid headers', [headers(get, 0), priorityFrame()], connectionError(code.protocol)],
    ['headers of another stream amid headers', [headers(get, 0), headers(get, 5, 3)], connectionError(code.protocol)],
  ),
  ...section(
    '5.4.1',
    ['an invalid ping closes the connection', [ping(0, 3)], connectionError(code.protocol)],
    ['an invalid ping is answered with a GOAWAY first', [ping(0, 3)], connectionError(code.protocol)],
  ),
  ...section(
    '5.5',
    ['an extension frame', [unknown()], goesOn],
    ['an extension frame amid headers', [headers(get, end), unknown()], connectionError(code.protocol)],
  ),
  ...section(
    '7',
    ['a GOAWAY with an unknown code', [goaway(255)], [...goesOn, 'closed', 'goaway 0']],
    ['a reset with an unknown code', [opened(), reset(1, 255)], [...goesOn, 'closed']],
  ),
  ...section('8.4', ['a push', [frame(5, endHeaders, 1, `\0\0\0\x03${get}`)], connectionError(code.protocol)]),
];

const streams: readonly Http2Case[] = [
  ...section(
    '5.1, idle',
    ['a priority', [priorityFrame()], goesOn],
    ['data', [data()], streamError(code.protocol, code.streamClosed)],
    ['a reset', [reset()], connectionError(code.protocol)],
    ['a window', [window(100)], connectionError(code.protocol)],
    ['a continuation', [continuation(get)], connectionError(code.protocol)],
  ),
  ...section(
    '5.1, half-closed (remote)',
    ['a window', [initialWindow(0), headers(), window(1), 'until data'], ['data 1']],
    ['a priority', [initialWindow(0), headers(), priorityFrame(), window(1), 'until data'], ['data 1']],
    ['a reset', [headers(), reset()], [...goesOn, ...answered, 'closed']],
    ['data', [headers(), data()], streamError(code.streamClosed)],
    ['headers', [headers(), headers()], streamError(code.streamClosed)],
    ['a continuation', [headers(), continuation(get)], streamError(code.streamClosed, code.protocol)],
  ),
  ...section(
    '5.1, closed by a reset',
    ['data', [opened(), reset(), data()], streamError(code.streamClosed)],
    ['headers', [opened(), reset(), headers()], streamError(code.streamClosed)],
    ['a continuation', [opened(), reset(), continuation(get)], streamError(code.streamClosed, code.protocol)],
  ),
  ...section(
    '5.1, closed by both ends',
    ['a priority', [headers(), 'until answered', priorityFrame()], answered],
    ['data', [headers(), 'until answered', data()], streamError(code.streamClosed)],
    ['headers', [headers(), 'until answered', headers()], connectionError(code.streamClosed)],
    [
      'a continuation',
      [headers(), 'until answered', continuation(get)],
      connectionError(code.streamClosed, code.protocol),
    ],
  ),
  ...section(
    '5.1.1',
    ['an even number', [headers(get, 5, 2)], connectionError(code.protocol)],
    ['a number lower than one before', [headers(get, 5, 5), headers(get, 5, 3)], connectionError(code.protocol)],
  ),
  ...section('5.1.2', [
    'one request more than may be under way',
    [initialWindow(0), ...Array.from({ length: 101 }, (_, at) => headers(get, 5, 2 * at + 1))],
    streamError(code.protocol, code.refused),
  ]),
  ...section(
    '5.3.1 (RFC 7540)',
    [
      'headers that depend on themselves',
      [headers(Buffer.concat([depends(1, 255), Buffer.from(get, 'latin1')]), 37)],
      streamError(code.protocol),
    ],
    ['a priority that depends on itself', [priorityFrame(1, 1)], streamError(code.protocol)],
  ),
];

const frames: readonly Http2Case[] = [
  ...section(
    '6.1',
    ['a frame of data', [opened(), data()], answered],
    ['two frames of data', [opened(), data('test', 0), data()], answered],
    ['data with padding', [opened(), data('\x05test\0\0\0\0\0', end | padded)], answered],
    ['data on stream 0', [data('test', end, 0)], connectionError(code.protocol)],
    ['data on a stream that is half closed', [headers(post), data()], streamError(code.streamClosed)],
    [
      'more padding than data',
      [opened(post + field('content-length', '4')), data('\x06Test', 9)],
      connectionError(code.protocol),
    ],
  ),
  ...section(
    '6.2',
    ['a frame of headers', [headers()], answered],
    ['headers with padding', [headers(`\x08${get}${'\0'.repeat(8)}`, 13)], answered],
    [
      'headers with a priority',
      [headers(Buffer.concat([depends(0, 255), Buffer.from(get, 'latin1')]), 5 | priority)],
      answered,
    ],
    ['headers that are not whole, and a priority', [headers(get, 0), priorityFrame()], connectionError(code.protocol)],
    ['headers that are not whole, and others', [headers(get, 0), headers(get, 5, 3)], connectionError(code.protocol)],
    ['headers on stream 0', [headers(get, 5, 0)], connectionError(code.protocol)],
    [
      'more padding than headers',
      [headers(`${String.fromCharCode(getLength + 2)}${get}`, 13)],
      streamError(code.protocol),
    ],
  ),
  ...section(
    '6.3',
    ['the lowest priority', [priorityFrame(1, 0, 0), headers()], answered],
    ['the highest priority', [priorityFrame(), headers()], answered],
    ['a dependency', [priorityFrame(1, 3), headers()], answered],
    ['an exclusive dependency', [priorityFrame(1, 2 ** 31 + 3), headers()], answered],
    ['a priority for a higher stream', [priorityFrame(5), headers()], answered],
    ['a priority on stream 0', [priorityFrame(0)], connectionError(code.protocol)],
    ['a priority of 4 bytes', [headers(), frame(2, 0, 1, '\x80\0\0\x01')], streamError(code.frameSize)],
  ),
  ...section(
    '6.4',
    ['a reset', [opened(), reset()], [...goesOn, 'closed']],
    ['a reset on stream 0', [reset(0)], connectionError(code.protocol)],
    ['a reset of an idle stream', [reset()], connectionError(code.protocol)],
    ['a reset of 3 bytes', [headers(), frame(3, 0, 1, '\0\0\0')], streamError(code.frameSize)],
  ),
  ...section(
    '6.5',
    [
      'every setting',
      [
        settings(
          setting(1, 4096),
          setting(2, 1),
          setting(3, 100),
          setting(4, 65_535),
          setting(5, 16_384),
          setting(6, 100),
        ),
        'until acknowledged',
      ],
      goesOn,
    ],
    ['an acknowledgement with a payload', [frame(4, 1, 0, '\0')], connectionError(code.frameSize)],
    ['settings on a stream', [frame(4, 0, 1, setting(3, 100))], connectionError(code.protocol)],
    ['settings of 3 bytes', [frame(4, 0, 0, '\0\x03\0')], connectionError(code.protocol, code.frameSize)],
  ),
  ...section(
    '6.5.2',
    ['push that is neither on nor off', [settings(setting(2, 2))], connectionError(code.protocol)],
    ['a window above its maximum', [initialWindow(2 ** 31)], connectionError(code.flowControl)],
    ['frames below 16,384 bytes', [settings(setting(5, 16_383))], connectionError(code.protocol)],
    ['frames above 16,777,215 bytes', [settings(setting(5, 2 ** 24))], connectionError(code.protocol)],
    ['an unknown setting', [settings(setting(255, 1))], goesOn],
  ),
  ...section(
    '6.5.3',
    [
      'the last of two values counts',
      [settings(setting(4, 100), setting(4, 1)), 'until acknowledged', headers(), 'until data'],
      ['data 1'],
    ],
    ['settings are acknowledged', [settings(setting(2, 0)), 'until acknowledged'], goesOn],
  ),
  ...section(
    '6.7',
    ['a ping', [ping()], goesOn],
    ['a ping with another payload', [ping(0, 0, 'keelson!')], goesOn],
    ['the answer to no ping', [ping(1, 0, 'invalid!'), ping()], goesOn],
    ['a ping on a stream', [ping(0, 1)], connectionError(code.protocol)],
    ['a ping of 6 bytes', [ping(0, 0, '123456')], connectionError(code.frameSize)],
  ),
  ...section(
    '6.8',
    ['a GOAWAY', [goaway()], [...goesOn, 'closed', 'goaway 0']],
    ['a GOAWAY on a stream', [goaway(0, 1)], connectionError(code.protocol)],
  ),
  ...section(
    '6.9',
    ['a window of the connection', [window(1, 0)], goesOn],
    ['a window of a stream', [headers(), window(1)], answered],
    ['an increment of 0', [window(0, 0)], connectionError(code.protocol)],
    ['an increment of 0 for a stream', [opened(), window(0)], streamError(code.protocol)],
    ['a window of 3 bytes', [frame(8, 0, 0, '\0\0\x01')], connectionError(code.frameSize)],
  ),
  ...section(
    '6.9.1',
    ['a window of one byte', [initialWindow(1), 'until acknowledged', headers(), 'until data'], ['data 1']],
    [
      'a window of the connection beyond its maximum',
      [window(maxWindow, 0), window(maxWindow, 0)],
      connectionError(code.flowControl),
    ],
    [
      'a window of a stream beyond its maximum',
      [opened(), window(maxWindow), window(maxWindow)],
      [`reset ${code.flowControl}`],
    ],
  ),
  ...section(
    '6.9.2',
    [
      'a window that opens later',
      [initialWindow(0), 'until acknowledged', headers(), initialWindow(1), 'until data'],
      ['data 1'],
    ],
    [
      'a window below zero',
      [initialWindow(3), headers(), 'until data', initialWindow(2), 'until acknowledged', window(2), 'until data'],
      ['data 1'],
    ],
    ['a first window above its maximum', [frame(4, 0, 0, '\0\x04\x80\0\0\0')], connectionError(code.flowControl)],
  ),
  ...section(
    '6.10',
    ['a continuation', [headers(firstPart, end), continuation(otherPart)], answered],
    [
      'two continuations',
      [headers(firstPart, end), continuation(otherPart.slice(0, 1), 0), continuation(otherPart.slice(1))],
      answered,
    ],
    [
      'continuations behind headers',
      [headers(get, end), continuation(field('a', 'b'), 0), continuation(field('c', 'd'))],
      answered,
    ],
    [
      'data behind a continuation',
      [headers(get, 0), continuation(field('a', 'b'), 0), data()],
      connectionError(code.protocol),
    ],
    [
      'a continuation on stream 0',
      [headers(get, end), continuation(field('a', 'b'), 4, 0)],
      connectionError(code.protocol),
    ],
    [
      'a continuation behind the end of headers',
      [headers(), continuation(field('a', 'b'))],
      connectionError(code.protocol, code.streamClosed),
    ],
    [
      'a continuation behind the last one',
      [headers(get, end), continuation(field('a', 'b')), continuation(field('c', 'd'))],
      connectionError(code.protocol, code.streamClosed),
    ],
    [
      'a continuation behind data',
      [headers(post, 0), data(), continuation(field('a', 'b'))],
      connectionError(code.protocol),
    ],
  ),
];

const pseudo = (...fields: readonly (readonly [string, string])[]) =>
  fields.map(([name, value]) => field(name, value)).join('');
const [method, scheme, path, authority] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/'],
  [':authority', 'x'],
] as const;

const requests: readonly Http2Case[] = [
  ...section(
    '8.1',
    ['a GET', [headers()], answered],
    ['a HEAD', [headers(pseudo([':method', 'HEAD'], scheme, path, authority))], answered],
    ['a POST', [opened(), data()], answered],
    [
      'a POST with trailers',
      [opened(post + field('trailer', 'x-test')), data('test', 0), headers(field('x-test', 'ok'))],
      answered,
    ],
    [
      'trailers that do not end the stream',
      [opened(), data('test', 0), headers(field('x-test', 'ok'), endHeaders)],
      streamError(code.protocol),
    ],
  ),
  ...section('8.2', ['a name in upper case', [headers(get + field('X-TEST', 'ok'))], streamError(code.protocol)]),
  ...section(
    '8.2.2',
    ['a field about the connection', [headers(get + field('connection', 'keep-alive'))], streamError(code.protocol)],
    [
      'te other than trailers',
      [headers(get + field('trailers', 'test') + field('te', 'trailers, deflate'))],
      streamError(code.protocol),
    ],
  ),
  ...section(
    '8.3',
    ['an unknown pseudo header', [headers(get + field(':test', 'ok'))], streamError(code.protocol)],
    ['a pseudo header of answers', [headers(get + field(':status', '200'))], streamError(code.protocol)],
    [
      'a pseudo header in trailers',
      [opened(), data('test', 0), headers(field(':method', 'POST'))],
      streamError(code.protocol),
    ],
    ['a pseudo header behind others', [headers(field('x-test', 'ok') + get)], streamError(code.protocol)],
  ),
  ...section(
    '8.3.1',
    ['an empty path', [headers(pseudo(method, scheme, [':path', ''], authority))], streamError(code.protocol)],
    ['no method', [headers(pseudo(scheme, path, authority))], streamError(code.protocol)],
    ['no scheme', [headers(pseudo(method, path, authority))], streamError(code.protocol)],
    ['no path', [headers(pseudo(method, scheme, authority))], streamError(code.protocol)],
    ['two methods', [headers(pseudo(method, scheme, path, authority, method))], streamError(code.protocol)],
    ['two schemes', [headers(pseudo(method, scheme, path, authority, scheme))], streamError(code.protocol)],
    ['two paths', [headers(pseudo(method, scheme, path, authority, path))], streamError(code.protocol)],
  ),
  ...section(
    '8.1.1',
    ['a body of another length', [opened(post + field('content-length', '1')), data()], streamError(code.protocol)],
    [
      'a body of another length in two frames',
      [opened(post + field('content-length', '1')), data('test', 0), data()],
      streamError(code.protocol),
    ],
  ),
];

const agent = '\x0auser-agent';
const codedAgent = '\x87\xb5\x05\xb1\x61\xcc\x5a\x93';
const value = '\x06h2test';
const codedName = '\x85\xf2\xb2\x4a\x84\xff';
const codedValue = '\x84\x9c\x48\xac\xa4';
const withField = (representation: string) => [headers(get + representation)];
const invalid = connectionError(code.compression);

const compression: readonly Http2Case[] = [
  ...section(
    'hpack 2.3.3',
    ['a number beyond both tables', withField('\xc6'), invalid],
    ['a name by a number beyond both tables', withField('\x7f\x07\0'), invalid],
  ),
  ...section('hpack 4.2', ['a table that changes behind fields', withField('\x21'), invalid]),
  ...section(
    'hpack 5.2',
    ['Huffman padding of more than 7 bits', withField(`\0${codedName}\x84\x49\x50\x9f\xff`), invalid],
    ['Huffman padding of zeros', withField(`\0${codedName}\x83\x49\x50\x90`), invalid],
    ['the end of a text amid a text', withField(`\0${codedName}\x87\x49\x51\xff\xff\xff\xfa\x7f`), invalid],
  ),
  ...section(
    'hpack 6.1',
    ['a field of the static table', withField('\x90'), answered],
    ['number 0', withField('\x80'), invalid],
  ),
  ...section(
    'hpack 6.2.1',
    ['a name of the table, kept', withField(`\x7a${value}`), answered],
    ['a name of the table, kept, with a Huffman code', withField(`\x7a${codedValue}`), answered],
    ['a new name, kept', withField(`\x40${agent}${value}`), answered],
    ['a new name, kept, with a Huffman code', withField(`\x40${codedAgent}${codedValue}`), answered],
  ),
  ...section(
    'hpack 6.2.2',
    ['a name of the table, not kept', withField(`\x0f\x2b${value}`), answered],
    ['a name of the table, not kept, with a Huffman code', withField(`\x0f\x2b${codedValue}`), answered],
    ['a new name, not kept', withField(`\0${agent}${value}`), answered],
    ['a new name, not kept, with a Huffman code', withField(`\0${codedName}${codedValue}`), answered],
  ),
  ...section(
    'hpack 6.2.3',
    ['a name of the table, never kept', withField(`\x1f\x2b${value}`), answered],
    ['a name of the table, never kept, with a Huffman code', withField(`\x1f\x2b${codedValue}`), answered],
    ['a new name, never kept', withField(`\x10${agent}${value}`), answered],
    ['a new name, never kept, with a Huffman code', withField(`\x10${codedName}${codedValue}`), answered],
  ),
  ...section(
    'hpack 6.3',
    ['a new size of the table', [headers(`\x21${get}`)], answered],
    ['two new sizes of the table', [headers(`\x21\x22${get}`)], answered],
    ['a table larger than the server allows', [headers(`\x3f\xe2\x1f${get}`)], invalid],
  ),
];

export const http2Cases: readonly Http2Case[] = [...connection, ...streams, ...frames, ...requests, ...compression];
