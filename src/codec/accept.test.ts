import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cluster, type Dialect, kubernetes } from '../meta/dialect.ts';
import type { ApiRequest } from '../meta/exchange.ts';
import { parseQuery } from '../meta/query.ts';
import { ApiError } from '../meta/status.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import {
  errorForm,
  formatOf,
  negotiate,
  objectOffer,
  offeredTypes,
  parseAccept,
  plainJson,
  requireProduced,
  wantsPretty,
} from './accept.ts';

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const k8sProtobuf = 'application/vnd.kubernetes.protobuf';
const clusterProtobuf = 'application/vnd.cluster.protobuf';

/** The choice in one line: format, shape and version, media type. */
function choice(accept: string | undefined, dialect: Dialect = kubernetes): string {
  const { format, as, version, mediaType } = negotiate(accept, dialect);
  return `${format} ${as}/${version} ${mediaType}`;
}

function refusal(accept: string, dialect: Dialect = kubernetes): ApiError {
  try {
    negotiate(accept, dialect);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error(`${accept} was not refused`);
}

const json = 'json Object/v1 application/json';
const yaml = 'yaml Object/v1 application/yaml';
const protobuf = `protobuf Object/v1 ${k8sProtobuf}`;
const jsonTable = 'json Table/v1 application/json';

describe('the format', () => {
  test.each([
    [undefined, json],
    ['', json],
    ['*/*', json],
    ['application/json', json],
    ['application/yaml', yaml],
    [k8sProtobuf, protobuf],
    [clusterProtobuf, `protobuf Object/v1 ${clusterProtobuf}`],
    ['  application/yaml  ', yaml],
    ['application/json; charset=utf-8', json],
    [`${k8sProtobuf};stream=watch`, protobuf],
  ])('for %j is %s', (accept, expected) => {
    expect(choice(accept)).toBe(expected);
  });

  test('both vendors are understood in both dialects', () => {
    for (const type of [k8sProtobuf, clusterProtobuf]) {
      for (const dialect of [kubernetes, cluster()]) expect(choice(type, dialect)).toBe(`protobuf Object/v1 ${type}`);
    }
  });

  test('no other name stands for a format', () => {
    for (const type of ['constructor', '__proto__', 'text/json', 'application/cbor']) {
      expect(formatOf(type, kubernetes)).toBeUndefined();
    }
  });
});

describe('preference', () => {
  test.each([
    ['application/yaml,application/json', yaml],
    ['application/json,application/yaml', json],
    ['application/json;q=0.5,application/yaml', yaml],
    ['application/json;q=0.8, application/yaml;q=0.9, */*;q=0.1', yaml],
    ['application/json;q=0,application/yaml;q=0.1', yaml],
    ['application/json;q=0', json],
    ['application/json;q=some,application/yaml;q=0.1', yaml],
    // what is spelled out comes first even where the client would rather have anything
    ['*/*;q=1, application/yaml;q=0.5', yaml],
    ['*, application/yaml;q=0.5', yaml],
    ['application/yaml;stream=watch, application/json', json],
    ['application/yaml;stream=odd, application/json;stream=watch', json],
    ['application/yaml;sv=v2, application/json;sv=v1', json],
    ['application/yaml;g=meta.k8s.io;v=v1, application/json', json],
    [`${k8sProtobuf},application/json`, protobuf],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', json],
    ['text/html, application/yaml', yaml],
    [',,application/yaml', yaml],
  ])('of %j is %s', (accept, expected) => {
    expect(choice(accept)).toBe(expected);
  });

  test('clauses come by falling quality, and in their own order where it is equal', () => {
    const types = parseAccept('a/a;q=0.5,b/b,c/c;q=0.5,d/d;q=0,e/e;q=0.9').map(({ type }) => type);
    expect(types).toEqual(['b/b', 'e/e', 'a/a', 'c/c', 'd/d']);
  });

  test.each([
    ['*/*, application/yaml', yaml],
    ['application/*, application/yaml', yaml],
  ])('of %j is what is spelled out', (accept, expected) => {
    expect(choice(accept)).toBe(expected);
  });
});

describe('the shape', () => {
  test.each([
    [table, jsonTable],
    [table.replace('json', 'yaml'), 'yaml Table/v1 application/yaml'],
    [table.replace('v=v1', 'v=v1beta1'), 'json Table/v1beta1 application/json'],
    ['*/*;as=Table;g=meta.k8s.io;v=v1', jsonTable],
    ['application/json ; as=Table ; v=v1 ; g=meta.k8s.io', jsonTable],
    [`${table},application/json`, jsonTable],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', 'json PartialObjectMetadata/v1 application/json'],
    [
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      'json PartialObjectMetadataList/v1 application/json',
    ],
    [`${k8sProtobuf};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`, `protobuf PartialObjectMetadata/v1 ${k8sProtobuf}`],
  ])('for %j is %s', (accept, expected) => {
    expect(choice(accept)).toBe(expected);
  });

  test.each([
    'application/json;as=Graph;g=meta.k8s.io;v=v1',
    'application/json;as=Table;g=meta.k8s.io;v=v2',
    'application/json;as=Table;g=other.example.com;v=v1',
    'application/json;as=Table',
    'application/json;as=constructor;g=meta.k8s.io;v=v1',
    'application/json;as=__proto__;g=meta.k8s.io;v=v1',
    `${k8sProtobuf};as=Table;g=meta.k8s.io;v=v1`,
  ])('%j cannot be had: the next choice is taken, or none', (clause) => {
    expect(choice(`${clause},application/yaml`)).toBe(yaml);
    expect(refusal(clause).code).toBe(406);
  });

  test('the group of meta types is the dialect’s', () => {
    const neutral = 'application/json;as=Table;g=meta.api.cluster.local;v=v1';
    expect(choice(neutral, cluster())).toBe(jsonTable);
    expect(refusal(neutral).code).toBe(406);
    expect(refusal(table, cluster()).code).toBe(406);
  });

  test('what kubectl sends gives a table', () => {
    const kubectl = `${table},${table.replace('v=v1', 'v=v1beta1')},application/json`;
    expect(choice(kubectl)).toBe(jsonTable);
  });
});

describe('pretty', () => {
  test.each([
    ['application/json', false, false],
    ['application/json', true, true],
    ['application/json;pretty=1', false, true],
    ['application/json;pretty=0', false, false],
    ['application/yaml', true, true],
    [undefined, true, true],
  ])('%s, asked %s: %s', (accept, asked, expected) => {
    expect(negotiate(accept, kubernetes, { ...objectOffer, pretty: asked }).pretty).toBe(expected);
  });

  test('does not stick to later answers', () => {
    negotiate('application/json', kubernetes, { pretty: true });
    negotiate('application/json;pretty=1', kubernetes);
    expect(negotiate('application/json', kubernetes)).toEqual(plainJson);
    expect(plainJson.pretty).toBe(false);
  });
});

describe('nothing acceptable', () => {
  test.each([
    'text/html',
    'application/xml',
    'image/*',
    'json',
    ',',
    ';',
    '*',
    'application/*',
    'APPLICATION/JSON',
    'application/cbor',
  ])('%j: no path answers in it', (accept) => {
    const refuse = () => requireProduced(accept, kubernetes);
    expect(refuse).toThrow('Available representations: application/json, application/yaml, ');
    expect(refuse).toThrow(expect.objectContaining({ code: 406, reason: 'NotAcceptable', details: {} }));
  });

  test.each([undefined, '', '*/*', 'application/json', 'text/html, */*;q=0.1', 'application/yaml;as=Odd'])(
    '%j: there is a path',
    (accept) => expect(() => requireProduced(accept, kubernetes)).not.toThrow(),
  );

  test('a path may have more than objects', () => {
    const offered = () => ['text/plain'];
    expect(() => requireProduced('text/plain;q=0.3', kubernetes, offered)).not.toThrow();
    expect(() => requireProduced('text/html', kubernetes, offered)).toThrow('Available representations: text/plain');
  });

  test('away from resources any type will do that is no other shape', () => {
    expect(negotiate('application/*', kubernetes, {})).toEqual(plainJson);
    expect(() => negotiate(table, kubernetes, {})).toThrow('only the following media types are accepted');
    expect(() => negotiate('application/json;sv=v1', kubernetes, {})).toThrow(ApiError);
  });

  test('a stream has no YAML', () => {
    const stream = { ...objectOffer, stream: true };
    const offered = `application/json;stream=watch, ${k8sProtobuf};stream=watch`;
    expect(() => negotiate('application/yaml, application/json', kubernetes, stream)).toThrow(offered);
    expect(negotiate(`${k8sProtobuf};stream=watch`, kubernetes, stream).format).toBe('protobuf');
  });

  test.each([
    [kubernetes, k8sProtobuf],
    [cluster(), clusterProtobuf],
    [cluster({ vendor: 'acme' }), 'application/vnd.acme.protobuf'],
  ])('says what can be had (%#)', (dialect, type) => {
    expect(offeredTypes(dialect)).toEqual(['application/json', 'application/yaml', type]);
    expect(refusal('application/json;as=Odd', dialect).message).toBe(
      `only the following media types are accepted: application/json, application/yaml, ${type}`,
    );
  });

  test('what is offered is also understood', () => {
    for (const dialect of [kubernetes, cluster()]) {
      for (const type of offeredTypes(dialect)) expect(choice(type, dialect)).toContain(type);
    }
  });

  // offeredTypes names the vendor's own type, but only the two built-in words are read
  test('a vendor of one’s own is understood as well', () => {
    expect(choice('application/vnd.acme.protobuf', cluster({ vendor: 'acme' }))).toContain('protobuf');
  });
});

describe('an error', () => {
  test.each([
    ['application/yaml', 'yaml', false],
    [k8sProtobuf, 'protobuf', false],
    ['text/html', 'json', true],
    [table, 'json', true],
    [undefined, 'json', false],
  ])('for %j is %s', (accept, format, pretty) => {
    expect(errorForm(accept, kubernetes, { pretty: false, onlyText: false })).toMatchObject({
      format,
      pretty,
      as: 'Object',
    });
  });

  test.each([
    [k8sProtobuf, 'json', true],
    [`${k8sProtobuf}, application/yaml`, 'yaml', false],
  ])('where there is only text, for %j is %s', (accept, format, pretty) => {
    expect(errorForm(accept, kubernetes, { pretty: false, onlyText: true })).toMatchObject({ format, pretty });
  });
});

describe('readers', () => {
  test.each([
    ['pretty=1', 'x', true],
    ['pretty=true', 'x', true],
    ['pretty=T', 'x', true],
    ['pretty=yes', 'curl/8', false],
    ['pretty=0', 'curl/8', false],
    ['pretty=', 'curl/8', true],
    ['', 'Mozilla/5.0 (X11)', true],
    ['', 'kubectl/v1', false],
  ])('?%s of %s: %s', (query, agent, expected) => {
    const request = { header: (name: string) => (name === 'user-agent' ? agent : undefined) } as ApiRequest;
    expect(wantsPretty({ query: parseQuery(query), request }, kubernetes)).toBe(expected);
  });
});

test('any header gives a representation or a 406', () => {
  const piece = fc.constantFrom(
    'application/',
    '*',
    '/',
    'json',
    'yaml',
    ';',
    ',',
    'q=',
    'as=Table',
    '0.5',
    '=',
    ' ',
    'v1',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(piece).map((pieces) => pieces.join('')),
      ),
      (header) => {
        try {
          negotiate(header, kubernetes);
        } catch (error) {
          expect((error as ApiError).code).toBe(406);
        }
      },
    ),
    fuzzRuns(1000),
  );
});
