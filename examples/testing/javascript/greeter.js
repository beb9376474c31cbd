// A small operator: every namespace with the label `greet` gets a ConfigMap that greets it.

/** One look at all namespaces; `client` is that of a test server or one of your own. */
export async function reconcile(client) {
  for (const { metadata } of await client.namespaces().list({ labelSelector: 'greet' })) {
    const configMaps = client.configmaps(metadata.name);
    if (await configMaps.find('greeting')) continue;
    await configMaps.create({ metadata: { name: 'greeting' }, data: { text: `hello ${metadata.labels.greet}` } });
  }
}
