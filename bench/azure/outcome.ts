import type { LoggedRequest } from '../../local/azure/requestLog.ts'
import { isSpotCapable, type VmSize } from '../../local/azure/sizes/vmSize.ts'

/** An offering of the emulated region, as the price list has it. */
export type Offered = {
  readonly size: VmSize
  /** `1`, or `regional`. */
  readonly zone: string
  readonly capacityType: 'spot' | 'on-demand'
  readonly usd: number
}

export type MadeMachine = Pick<Offered, 'zone' | 'capacityType'> & { readonly size: string }

/** The offerings of the sizes, cheapest first. */
export function offeringsOf(sizes: readonly VmSize[]): readonly Offered[] {
  return sizes
    .flatMap((size): readonly Offered[] =>
      [...size.zones, 'regional'].flatMap((zone) => [
        ...(size.onDemandUsd === undefined ? [] : [{ size, zone, capacityType: 'on-demand' as const, usd: size.onDemandUsd }]),
        ...(size.spotUsd === undefined || !isSpotCapable(size) ? [] : [{ size, zone, capacityType: 'spot' as const, usd: size.spotUsd }]),
      ]),
    )
    .sort((one, other) => one.usd - other.usd)
}

const isCreate = ({ method, type }: LoggedRequest): boolean => method === 'PUT' && type === 'virtualMachines'

/** The requests for machines, and how many of them were refused. A throttled request does not count, nor one whose machine was there already. */
export function createsOf(requests: readonly LoggedRequest[]): { readonly creates: number; readonly refusals: number } {
  const creates = requests.filter((each) => isCreate(each) && each.status !== 429 && each.status !== 412)
  return { creates: creates.length, refusals: creates.filter(({ status }) => status >= 400).length }
}

/** The number of offerings that are cheaper than the cheapest free one. Azure has to refuse each of them once before the free one is taken. */
export function cheaperThanFree(offerings: readonly Offered[], isFree: (offering: Offered) => boolean): number {
  const free = offerings.find(isFree)
  return free === undefined ? offerings.length : offerings.filter(({ usd }) => usd < free.usd).length
}

/** The requests for machines that came before the end of the pause that an earlier answer asked for. `margin`: the time that an answer may take. */
export function beforeRetryAfter(requests: readonly LoggedRequest[], pauseMs: number, margin: number): number {
  const creates = requests.filter(isCreate)
  const throttled = creates.filter(({ status }) => status === 429)
  return creates.filter(({ at }) => throttled.some((each) => at > each.at + margin && at < each.at + pauseMs)).length
}

/**
 * How much more the machines cost than as many of the cheapest offerings that Azure would have made, as a share. `isFree` tells whether Azure would
 * have made the offering after these machines. The order in which the machines were made does not count: the cores of a machine that is asked for are
 * taken, although a dearer one may be made before it.
 */
export function aboveCheapest(
  machines: readonly MadeMachine[],
  offerings: readonly Offered[],
  isFree: (offering: Offered, before: readonly MadeMachine[]) => boolean,
): number {
  const cheapest: MadeMachine[] = []
  let [paid, least] = [0, 0]
  for (const made of machines) {
    const own = offerings.find(({ size, capacityType }) => size.name === made.size && capacityType === made.capacityType)
    const best = offerings.find((each) => isFree(each, cheapest))
    paid += own?.usd ?? Number.NaN
    least += best?.usd ?? Number.NaN
    if (best !== undefined) cheapest.push({ ...best, size: best.size.name })
  }
  return machines.length === 0 ? Number.NaN : paid / least - 1
}

/** Reports whether quotas of these cores, one for each family and one for all spot machines, leave room for the offering. */
export function hasQuota(
  cores: number,
  sizes: ReadonlyMap<string, VmSize>,
): (offering: Offered, before: readonly MadeMachine[]) => boolean {
  return ({ size, capacityType }, before) => {
    const same = before.filter((made) =>
      capacityType === 'spot'
        ? made.capacityType === 'spot'
        : made.capacityType === 'on-demand' && sizes.get(made.size)?.family === size.family,
    )
    return same.reduce((sum, made) => sum + (sizes.get(made.size)?.cpus ?? 0), 0) + size.cpus <= cores
  }
}
