// One object. (its text for now)

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, messageOf } from '../api.ts';
import { type Kind, objectPath } from '../discovery.ts';

interface ObjectProps {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

export function ObjectPage({ kind, namespace, name }: ObjectProps) {
  const text = useSignal('');
  useEffect(() => {
    call(objectPath(kind, namespace, name), { accept: 'application/yaml' })
      .then((answer) => answer.text())
      .then(
        (yaml) => {
          text.value = yaml;
        },
        (error: unknown) => {
          text.value = messageOf(error);
        },
      );
  }, []);
  return (
    <section class="object">
      <h1>
        {kind.kind} {namespace === '' ? name : `${namespace} / ${name}`}
      </h1>
      <pre>{text}</pre>
    </section>
  );
}
