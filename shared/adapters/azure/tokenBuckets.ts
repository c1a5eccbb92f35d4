import { createBoundedMap } from '../../base/caches.ts'
import { largestOf } from '../../base/lists.ts'
import type { GivenResponse, SentRequest } from './exchange.ts'
import { remainingCalls } from './headroom.ts'

/** The calls that a full bucket allows at once, and those that it gains in a second. */
type Limit = { readonly size: number; readonly perSecond: number }

const MINUTE = 60

/**
 * The limits that Azure publishes, each for a subscription and a region. ARM's are for each principal: "Understand how Azure Resource Manager throttles
 * requests", 2024. Microsoft.Compute's: "Compute throttling limits", 2024-05-27. Microsoft.Network's, which are for five minutes: "Throttling
 * Resource Manager requests", 2020-12-15, and unchanged in the page of 2024. All read on 2026-11-29. Azure says in its answers what is left, which
 * counts more than these numbers.
 */
const LIMITS = {
  reads: { size: 250, perSecond: 25 },
  writes: { size: 200, perSecond: 10 },
  deletes: { size: 200, perSecond: 10 },
  putVm: { size: 1_500, perSecond: 500 / MINUTE },
  updateVm: { size: 1_500, perSecond: 500 / MINUTE },
  deleteVm: { size: 1_500, perSecond: 500 / MINUTE },
  getVm: { size: 24_000, perSecond: 8_000 / MINUTE },
  listVms: { size: 900, perSecond: 300 / MINUTE },
  getVmOperation: { size: 15_000, perSecond: 5_000 / MINUTE },
  networkWrites: { size: 1_000, perSecond: 1_000 / (5 * MINUTE) },
  networkReads: { size: 10_000, perSecond: 10_000 / (5 * MINUTE) },
} as const satisfies { readonly [name: string]: Limit }

export type LimitName = keyof typeof LIMITS

const RARE: Limit = { size: 12, perSecond: 4 / MINUTE }
/**
 * The limits of a single machine, from the same page. A launch that Azure refuses asks for the next size under the same name, and so may reach the
 * first of them. The page does not say whether requests for a machine that never came to be count: here they do.
 */
const OF_ONE_MACHINE: { readonly [name in LimitName]?: Limit } = {
  putVm: RARE,
  updateVm: RARE,
  deleteVm: RARE,
  getVm: { size: 36, perSecond: 12 / MINUTE },
}

/** More machines than get calls within the three minutes in which a bucket fills. */
const MOST_MACHINES = 5_000

/** For how long after its time the place of a call is kept that was told to come later. */
const PLACE_KEPT_MS = 10_000

/**
 * `waiting`: in the order of arrival. `outstanding`: calls that were sent and have no answer. `told`: calls that were told to come later, in order,
 * with the end of the time for which their places are kept. They come before those that wait.
 */
type Bucket = Limit & {
  left: number
  at: number
  outstanding: number
  readonly told: Map<string, number>
  readonly waiting: Set<Ticket>
}

/** `isOfOne`: the bucket is that of a single machine. */
type Counted = { readonly name: LimitName; readonly isOfOne: boolean; readonly bucket: Bucket }

/** The place of a call among those that wait for a token of each bucket that it counts against. */
export type Ticket = {
  /** The time until its tokens are there, as far as is known now. */
  waitMs(): number
  /** Takes the tokens, right before the call is sent. False if they are not there. */
  take(): boolean
  /** Ends the call. `response`: absent if it was not sent or has no answer. */
  end(response?: Pick<GivenResponse, 'headers'>): void
  /**
   * Ends the call before it was sent. Returns the time after which to come again. Calls that come meanwhile do not take the tokens of this one.
   * `isOfOneMachine`: a limit of a single machine asks for the longest wait.
   */
  comeAgain(): { readonly waitMs: number; readonly isOfOneMachine: boolean }
}

/**
 * Counts the calls of this process against the limits of Azure, so that a call waits here instead of being refused there. Each answer says how many
 * calls are left, those of other processes counted. So processes need not tell each other of their calls.
 */
export function createTokenBuckets(now: () => number) {
  const bucketsOf = createBuckets(now)

  return (request: SentRequest, subscription: string): Ticket => {
    const counted = bucketsOf(request, subscription)
    const mine = counted.map(({ bucket }) => bucket)
    const call = callOf(request)
    const refillAll = (): void => mine.forEach((bucket) => void refill(bucket, now()))
    const leave = (): void => mine.forEach(({ waiting }) => void waiting.delete(ticket))
    let isSent = false
    const ticket: Ticket = {
      waitMs() {
        refillAll()
        return largestOf(
          mine.map((bucket) => msUntil(bucket, placeOf(bucket, ticket, call))),
          0,
        )
      },
      take() {
        refillAll()
        if (mine.some((bucket) => bucket.left < 1 + promised(bucket, call))) return false
        leave()
        isSent = true
        for (const bucket of mine) {
          bucket.left -= 1
          bucket.outstanding += 1
          bucket.told.delete(call)
        }
        return true
      },
      end(response) {
        leave()
        refillAll()
        if (!isSent) return
        for (const each of counted) {
          each.bucket.outstanding -= 1
          if (response !== undefined) correct(each, response)
        }
      },
      comeAgain() {
        refillAll()
        const waits = counted.map(({ bucket, isOfOne }) => ({ bucket, isOfOne, ms: msUntil(bucket, placeOf(bucket, ticket, call)) }))
        const waitMs = largestOf(waits.map(({ ms }) => ms))
        leave()
        // A bucket that has tokens enough holds none back: other calls that count against it do not wait for the one that is empty.
        for (const { bucket, ms } of waits) if (ms > 0 || bucket.told.has(call)) bucket.told.set(call, now() + waitMs + PLACE_KEPT_MS)
        return { waitMs, isOfOneMachine: waits.some(({ isOfOne, ms }) => isOfOne && ms === waitMs) }
      },
    }
    for (const { waiting } of mine) waiting.add(ticket)
    return ticket
  }
}

/** Returns a function that finds the buckets that a call counts against. A bucket that is asked for the first time is full. */
function createBuckets(now: () => number): (request: SentRequest, subscription: string) => readonly Counted[] {
  const ofAll = new Map<string, Bucket>()
  const ofMachines = createBoundedMap<string, Bucket>(MOST_MACHINES)

  function fullBucket(limit: Limit): Bucket {
    return { ...limit, left: limit.size, at: now(), outstanding: 0, told: new Map<string, number>(), waiting: new Set<Ticket>() }
  }

  function bucketOf(subscription: string, name: LimitName): Counted {
    const key = `${subscription} ${name}`
    const bucket = ofAll.get(key) ?? fullBucket(LIMITS[name])
    ofAll.set(key, bucket)
    return { name, isOfOne: false, bucket }
  }

  function bucketOfMachine(url: string, name: LimitName): readonly Counted[] {
    const { [name]: limit } = OF_ONE_MACHINE
    const machine = machineIn(url)
    if (limit === undefined || machine === undefined) return []
    const key = `${machine} ${name}`
    const bucket = ofMachines.get(key) ?? fullBucket(limit)
    ofMachines.set(key, bucket)
    return [{ name, isOfOne: true, bucket }]
  }

  return (request, subscription) =>
    limitsOf(request).flatMap((name) => [bucketOf(subscription, name), ...bucketOfMachine(request.url, name)])
}

/** The same call in each try. */
function callOf({ method, url }: SentRequest): string {
  return `${method} ${url.split('?')[0] ?? url}`
}

/** The path of the machine that a call is about. */
function machineIn(url: string): string | undefined {
  return /^[^?]*\/virtualmachines\/[^/?]+/i.exec(url)?.[0].toLowerCase()
}

/** The tokens that calls have a place for which this one comes after. */
function promised({ told }: Bucket, call: string): number {
  return told.has(call) ? 0 : told.size
}

function placeOf({ told, waiting }: Bucket, ticket: Ticket, call: string): number {
  return told.has(call) ? placeIn(told.keys(), call) : told.size + placeIn(waiting, ticket)
}

function placeIn<Each>(all: Iterable<Each>, wanted: Each): number {
  let place = 1
  for (const each of all) {
    if (each === wanted) break
    place += 1
  }
  return place
}

/** The limits that a call counts against. */
export function limitsOf({ method, url }: SentRequest): readonly LimitName[] {
  const ofArm = method === 'GET' || method === 'HEAD' ? 'reads' : method === 'DELETE' ? 'deletes' : 'writes'
  const [, provider, rest = ''] = /\/providers\/microsoft\.(compute|network)\/([^?]*)/i.exec(url) ?? []
  if (provider === undefined) return [ofArm]
  if (provider.toLowerCase() === 'network') return [ofArm, ofArm === 'reads' ? 'networkReads' : 'networkWrites']
  const ofCompute = computeLimitOf(method, rest.toLowerCase())
  return ofCompute === undefined ? [ofArm] : [ofArm, ofCompute]
}

const OF_MACHINE: ReadonlyMap<string, LimitName> = new Map([
  ['PUT', 'putVm'],
  ['DELETE', 'deleteVm'],
])

function computeLimitOf(method: string, path: string): LimitName | undefined {
  if (/^locations\/[^/]+\/operations\//.test(path)) return 'getVmOperation'
  const [type, name, part] = path.split('/')
  if (type !== 'virtualmachines') return undefined
  if (method === 'GET') return name === undefined ? 'listVms' : 'getVm'
  if (part === undefined) return OF_MACHINE.get(method) ?? 'updateVm'
  return part === 'simulateeviction' || part === 'deallocate' ? 'deleteVm' : 'updateVm'
}

function refill(bucket: Bucket, now: number): void {
  const gained = (Math.max(0, now - bucket.at) / 1_000) * bucket.perSecond
  bucket.at = now
  for (const [call, until] of bucket.told) if (until <= now) bucket.told.delete(call)
  if (bucket.left < bucket.size) bucket.left = Math.min(bucket.size, bucket.left + gained)
}

function msUntil({ left, perSecond }: Bucket, tokens: number): number {
  return Math.ceil(((tokens - left) / perSecond) * 1_000)
}

/**
 * Calls that are outstanding may not be counted in the answer yet. Compute names its policies, and not in the words of its page. Each counts this call,
 * so none allows more than it says.
 */
function correct({ name, isOfOne, bucket }: Counted, { headers }: Pick<GivenResponse, 'headers'>): void {
  for (const { part, left } of remainingCalls(headers)) {
    if (part === name) bucket.left = left - bucket.outstanding
    if (isOfCompute(name) && part.startsWith('Microsoft.Compute/') && part.endsWith('Resource') === isOfOne)
      bucket.left = Math.min(bucket.left, left - bucket.outstanding)
  }
}

function isOfCompute(name: LimitName): boolean {
  return name.endsWith('Vm') || name === 'listVms' || name === 'getVmOperation'
}
