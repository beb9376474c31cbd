// The page of browsers without a user.

import { useSignal } from '@preact/signals';
import { notice } from '../credentials.ts';
import { signInWithToken } from '../session.ts';

export function SignIn() {
  const token = useSignal('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (token.value.trim() !== '') void signInWithToken(token.value.trim());
  };
  return (
    <main class="sign-in">
      <h1>Keelson</h1>
      <p role="status">{notice.value}</p>
      <section>
        <h2>With a link</h2>
        <p>
          <code>npm start</code> prints a link that signs you in, and <code>keelson console</code> prints another one.
          It works once, for ten minutes, on the machine of the server.
        </p>
      </section>
      <form onSubmit={submit}>
        <h2>With a token</h2>
        <label for="token">Token of a user or a service account</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          value={token}
          onInput={({ currentTarget }) => {
            token.value = currentTarget.value;
          }}
        />
        <button type="submit" class="primary">
          Sign in
        </button>
        <p class="hint">It stays in the memory of this page until you close or reload it.</p>
      </form>
      <section>
        <h2>With a certificate</h2>
        <p>Import a client certificate into the browser and open this page again.</p>
      </section>
    </main>
  );
}
