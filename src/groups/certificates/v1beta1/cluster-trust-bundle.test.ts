import { expect, test } from 'vitest';
import { kubernetes } from '../../../meta/dialect.ts';
import { lines } from '../../../testing/error-lines.ts';
import { FakeClock } from '../../../testing/fake-clock.ts';
import { clusterTrustBundle } from './cluster-trust-bundle.ts';

const context = { dialect: kubernetes, clock: new FakeClock() };

const root = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIURN2i5PlEZlCYmedDqGSrC1NiylgwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMTUxNzIwMjNaGA8yMTI2MTAyMjE3MjAy
M1owDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABBVt
EbPlCc+lktjAbKG9wax2exIkPpMxso46MDcmXv75OU3RHqWbtNs90PqE+jCUK7KK
N+QU4M8ayLc/3uShbUKjUzBRMB0GA1UdDgQWBBRKnVWRx+D8HCEwwth3gwNRjd6W
0DAfBgNVHSMEGDAWgBRKnVWRx+D8HCEwwth3gwNRjd6W0DAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQDyELFqJyC0fCfE4bW5VZ1vuJ85JR05AA4I
2PLHfaNsWAIgUa9IDmzy5JDs+RfAkWH7ePxUOsZZxhY+/kdPnAFGDvg=
-----END CERTIFICATE-----
`;
const leaf = `-----BEGIN CERTIFICATE-----
MIIBcTCCARigAwIBAgIURWJEqQxs3JIyR43SZ6aMqPg2jkcwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbGVhZjAgFw0yNjExMTUxNzIwMjNaGA8yMTI2MTAyMjE3MjAy
M1owDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABILI
GxIHB8P4IMyetX7zRR0aOB5MWGkuWeY8mCirivPTnx901Xyzi2S2Afy1KMWc6GJl
Vp+RM9XlmNJHIY+GpaOjUDBOMB0GA1UdDgQWBBTwsmLc+IhKTEQ1ySYWlyjGRigh
+DAfBgNVHSMEGDAWgBTwsmLc+IhKTEQ1ySYWlyjGRigh+DAMBgNVHRMBAf8EAjAA
MAoGCCqGSM49BAMCA0cAMEQCIGAM+j+Zg6rLCS1L54fj8aW6QJTPyKnVbnIu+fze
IBu9AiBvgzPKVrCwBXNClpENWPR9dqDoMRrB7mvwNaeINXcnGA==
-----END CERTIFICATE-----
`;
const omitted = 'spec.trustBundle: Invalid value: "<value omitted>"';

test.each<[string, string, string, readonly string[]]>([
  ['a', '', root, []],
  ['example.com:signer:a', 'example.com/signer', root, []],
  ['a', '', '', [`${omitted}: at least one trust anchor must be provided`]],
  ['a', '', root + root, [`${omitted}: duplicate trust anchor (indices [0 1])`]],
  ['a', '', root + leaf, [`${omitted}: entry 1 does not have the CA bit set`]],
  ['a', '', root.replaceAll('CERTIFICATE', 'RSA KEY'), [`${omitted}: entry 0 has bad block type: RSA KEY`]],
  [
    'a:b',
    '',
    root,
    ['metadata.name: Invalid value: "a:b": ClusterTrustBundle without signer name must not have ":" in its name'],
  ],
  [
    'a',
    'example.com/signer',
    root,
    [
      'metadata.name: Invalid value: "a": ClusterTrustBundle for signerName example.com/signer must be named with prefix example.com:signer:',
    ],
  ],
])('%s of %j: %#', (name, signerName, trustBundle, expected) => {
  const object = {
    kind: 'ClusterTrustBundle',
    apiVersion: 'v1',
    metadata: { name },
    spec: { signerName, trustBundle },
  };
  expect(lines(clusterTrustBundle.strategy?.validate?.(object, context))).toEqual(expected);
});
