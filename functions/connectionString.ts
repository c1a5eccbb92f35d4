import * as z from 'zod'

/** Members of a connection string that this app needs, by name. */
const endpoint = z.url({ protocol: /^https?$/ })
const byKey = z.object({
  DefaultEndpointsProtocol: z.enum(['http', 'https']),
  AccountName: z.string().regex(/^[a-z0-9]{3,24}$/),
  AccountKey: z.base64().min(4),
})
const parts = z.union([
  byKey.extend({ EndpointSuffix: z.hostname(), BlobEndpoint: endpoint.optional(), QueueEndpoint: endpoint.optional() }),
  byKey.extend({ BlobEndpoint: endpoint, QueueEndpoint: endpoint }),
  z.object({ BlobEndpoint: endpoint, QueueEndpoint: endpoint, SharedAccessSignature: z.string().min(1), AccountKey: z.never().optional() }),
])

/** A connection string of a storage account, by its key or by a signature, or of the emulator. The message has no part of it, since it is a secret. */
export const connectionString = z
  .string()
  .refine(
    (text) => /^UseDevelopmentStorage=true;?$/.test(text) || parts.safeParse(membersOf(text)).success,
    'must be a connection string of a storage account, with AccountName, AccountKey and EndpointSuffix; AzureWebJobsStorage__accountName names an account without a secret',
  )

/** The first of two equal names counts. */
function membersOf(text: string): object {
  const pairs = text.split(';').map((part) => [part.slice(0, Math.max(0, part.indexOf('='))), part.slice(part.indexOf('=') + 1)] as const)
  return Object.fromEntries(pairs.filter(([name]) => name !== '').toReversed())
}
