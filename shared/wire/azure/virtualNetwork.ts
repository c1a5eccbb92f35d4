import * as z from 'zod'

/** The API version of the answers that are parsed here. */
export const VIRTUAL_NETWORK_VERSION = '2025-05-01'

const virtualNetwork = z.object({ properties: z.object({ resourceGuid: z.string().min(1) }) })

/** Returns the GUID of the network in the answer to GET of a virtual network. Undefined if the answer has none. */
export function parseVnetGuid(body: unknown): string | undefined {
  return virtualNetwork.safeParse(body).data?.properties.resourceGuid
}
