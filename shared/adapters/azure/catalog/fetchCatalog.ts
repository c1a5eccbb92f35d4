import { setOwnValue } from '../../../base/ownValue.ts'
import type { Usage } from '../../../model/askedCores.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { parseResourceSku, type SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { armList } from '../armGet.ts'
import type { ArmClients } from '../clients.ts'
import { azureFault } from '../machines/azureFault.ts'
import { usableSize } from '../sizes/size.ts'

const SKUS_VERSION = '2021-07-01'

/** Fetches all usable sizes of the region, from every page. An empty answer is wrong: it throws a Fault. */
export async function fetchSizes(
  clients: ArmClients,
  { subscriptionId, location }: { readonly subscriptionId: string; readonly location: string },
  signal: AbortSignalLike,
): Promise<readonly SizeRecord[]> {
  const records: SizeRecord[] = []
  try {
    const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute/skus`
    for await (const sku of armList(clients, path, { 'api-version': SKUS_VERSION, $filter: `location eq '${location}'` }, signal)) {
      const record = parseResourceSku(sku, location)
      if (record !== undefined && usableSize(record) !== undefined) records.push(record)
    }
  } catch (error) {
    throw azureFault('list resource SKUs', error, signal)
  }
  if (records.length === 0)
    throw new Fault(
      'list resource SKUs',
      problem('AZURE.FAILED', `region ${location} offers no usable size; check the location of the cluster's config`),
    )
  return records
}

/** Fetches limit and usage by quota name. Names are in lower case, because Azure spells families differently in its lists. */
export async function fetchUsages(
  clients: ArmClients,
  location: string,
  signal: AbortSignalLike,
): Promise<Readonly<Record<string, Usage>>> {
  const usages: Record<string, Usage> = {}
  try {
    const { usage } = await clients.compute()
    for await (const each of usage.list(location, { abortSignal: signal })) {
      const name = each.name?.value
      if (name !== undefined && each.limit !== undefined && each.currentValue !== undefined) {
        setOwnValue(usages, name.toLowerCase(), { limit: each.limit, used: each.currentValue })
      }
    }
  } catch (error) {
    throw azureFault('list compute usages', error, signal)
  }
  return usages
}
