import { setOwnValue } from '../../../base/values.ts'
import type { Usage } from '../../../model/askedCores.ts'
import { Fault, problem } from '../../../model/problem.ts'
import type { AbortSignalLike } from '../../../ports/clock.ts'
import { parseResourceSku, type SizeRecord } from '../../../wire/azure/sizeRecord.ts'
import { armList } from '../armGet.ts'
import type { ArmClients } from '../clients.ts'
import { azureFault } from '../machines/azureFault.ts'
import { LEFT_OUT, type LeftOut, leftOutBy } from '../sizes/size.ts'

const SKUS_VERSION = '2021-07-01'

/** `leftOut`: the names of all other sizes, by the rule that leaves them out. */
export type FetchedSizes = { readonly usable: readonly SizeRecord[]; readonly leftOut: { readonly [Rule in LeftOut]?: readonly string[] } }

/** Fetches all sizes of the region, from every page. An answer without a usable size is wrong: it throws a Fault. */
export async function fetchSizes(
  clients: ArmClients,
  { subscriptionId, location }: { readonly subscriptionId: string; readonly location: string },
  signal: AbortSignalLike,
): Promise<FetchedSizes> {
  const usable: SizeRecord[] = []
  const leftOut = new Map<LeftOut, string[]>()
  try {
    const path = `/subscriptions/${subscriptionId}/providers/Microsoft.Compute/skus`
    for await (const sku of armList(clients, path, { 'api-version': SKUS_VERSION, $filter: `location eq '${location}'` }, signal)) {
      const record = parseResourceSku(sku, location)
      if (record === undefined) continue
      const rule = leftOutBy(record)
      if (rule === undefined) usable.push(record)
      else namesIn(leftOut, rule).push(record.name)
    }
  } catch (error) {
    throw azureFault('list resource SKUs', error, signal)
  }
  if (usable.length === 0)
    throw new Fault('list resource SKUs', problem('AZURE.FAILED', `region ${location} offers no usable size: ${noSizeText(leftOut)}`))
  return { usable, leftOut: Object.fromEntries(leftOut) }
}

function namesIn(leftOut: Map<LeftOut, string[]>, rule: LeftOut): string[] {
  const names = leftOut.get(rule) ?? []
  leftOut.set(rule, names)
  return names
}

/** Why no size of a region is left, by the rule that leaves out most sizes first. */
export function noSizeText(leftOut: ReadonlyMap<LeftOut, readonly string[]>): string {
  if (leftOut.size === 0) return "Azure lists none; check the location of the cluster's config"
  const told = [...leftOut]
    .sort(([, some], [, others]) => others.length - some.length)
    .map(([rule, names]) => `${names.length} ${LEFT_OUT[rule]}`)
  const advice = leftOut.has('restricted') ? '; ask Azure support for access to sizes in this region' : ''
  return `${told.join(', ')}${advice}`
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
