import * as z from 'zod'
import { defined } from '../../base/values.ts'

/** The API version of the answers that are parsed here. */
export const VIRTUAL_NETWORK_VERSION = '2025-05-01'

const virtualNetwork = z.object({
  properties: z.object({
    resourceGuid: z.string().min(1).nullish(),
    addressSpace: z.object({ addressPrefixes: z.array(z.string()).nullish() }).nullish(),
  }),
})

export type VirtualNetworkFacts = {
  /** Undefined if the answer has none. */
  readonly guid?: string
  /** The ranges of its addresses. */
  readonly ranges: readonly string[]
}

/** Parses the answer to GET of a virtual network. An answer that is not understood gives no facts. */
export function parseVirtualNetwork(body: unknown): VirtualNetworkFacts {
  const { resourceGuid, addressSpace } = virtualNetwork.safeParse(body).data?.properties ?? {}
  return { ranges: addressSpace?.addressPrefixes ?? [], ...defined({ guid: resourceGuid ?? undefined }) }
}
