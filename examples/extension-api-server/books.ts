// The kind that this server has. It is written as a CustomResourceDefinition, and kept by no cluster.

export const books = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'books.library.example.com' },
  spec: {
    group: 'library.example.com',
    scope: 'Namespaced',
    names: { plural: 'books', singular: 'book', kind: 'Book', shortNames: ['bk'], categories: ['library'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Title', type: 'string', jsonPath: '.spec.title' },
          { name: 'Copies', type: 'integer', jsonPath: '.spec.copies' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A book that the library has.',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                description: 'What the library knows of the book.',
                required: ['title'],
                properties: {
                  title: { type: 'string', minLength: 1, description: 'The title on the cover.' },
                  copies: { type: 'integer', minimum: 0, default: 1, description: 'How many copies there are.' },
                },
              },
              status: { type: 'object', properties: { lent: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
};
