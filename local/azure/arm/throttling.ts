import { type ArmAnswer, armError } from './armAnswer.ts'

/** A full bucket, and what it gains in an emulated second. */
type Limit = { readonly size: number; readonly perSecond: number }
type Bucket = { left: number; at: number }

/** For each principal: "Understand how Azure Resource Manager throttles requests", read on 2026-11-29. */
const ARM: { readonly [kind: string]: Limit } = {
  reads: { size: 250, perSecond: 25 },
  writes: { size: 200, perSecond: 10 },
  deletes: { size: 200, perSecond: 10 },
}

type Provider = Limit & { readonly policy: string; readonly method: RegExp; readonly path: RegExp; readonly ofOne?: Limit }

/** For a PUT, changes and the deletion of one machine. */
const RARE: Limit = { size: 12, perSecond: 4 / 60 }

/**
 * For the subscription. Microsoft.Compute: "Compute throttling limits", 2024-05-27. Microsoft.Network: "Throttling Resource Manager requests",
 * 2020-12-15, as buckets. The names of the policies are in the form of "Troubleshooting API throttling errors - Compute"; today's names are not
 * published. `ofOne`: of a single machine, from the same page, which does not say whether requests for a machine that never came to be count. Here
 * they do.
 */
const PROVIDERS: readonly Provider[] = [
  { policy: 'Microsoft.Compute/HighCostGet3Min', method: /GET/, path: /compute\/virtualmachines\/?$/i, size: 900, perSecond: 5 },
  {
    policy: 'Microsoft.Compute/LowCostGet3Min',
    method: /GET/,
    path: /compute\/virtualmachines\//i,
    size: 24_000,
    perSecond: 8_000 / 60,
    ofOne: { size: 36, perSecond: 12 / 60 },
  },
  {
    policy: 'Microsoft.Compute/GetOperation3Min',
    method: /GET/,
    path: /compute\/locations\/[^/]+\/operations/i,
    size: 15_000,
    perSecond: 5_000 / 60,
  },
  {
    policy: 'Microsoft.Compute/PutVM3Min',
    method: /PUT/,
    path: /compute\/virtualmachines\/[^/]+$/i,
    size: 1_500,
    perSecond: 500 / 60,
    ofOne: RARE,
  },
  {
    policy: 'Microsoft.Compute/DeleteVM3Min',
    method: /DELETE/,
    path: /compute\/virtualmachines\/[^/]+$/i,
    size: 1_500,
    perSecond: 500 / 60,
    ofOne: RARE,
  },
  {
    policy: 'Microsoft.Compute/DeleteVM3Min',
    method: /POST/,
    path: /virtualmachines\/[^/]+\/simulateeviction$/i,
    size: 1_500,
    perSecond: 500 / 60,
    ofOne: RARE,
  },
  {
    policy: 'Microsoft.Compute/UpdateVM3Min',
    method: /PUT|PATCH|POST|DELETE/,
    path: /compute\/virtualmachines\//i,
    size: 1_500,
    perSecond: 500 / 60,
    ofOne: RARE,
  },
  { policy: 'Microsoft.Network/Read5Min', method: /GET/, path: /microsoft\.network\//i, size: 10_000, perSecond: 10_000 / 300 },
  {
    policy: 'Microsoft.Network/Write5Min',
    method: /PUT|PATCH|POST|DELETE/,
    path: /microsoft\.network\//i,
    size: 1_000,
    perSecond: 1_000 / 300,
  },
]

export type Throttled = { readonly refusal: ArmAnswer | undefined; readonly headers: Readonly<Record<string, string>> }

/** Counts requests as ARM and the resource providers do. Buckets fill as many times faster as the emulated cloud runs. */
export function createThrottling(speed: number, now: () => number = Date.now) {
  const buckets = new Map<string, Bucket>()

  function filled(key: string, { size, perSecond }: Limit): Bucket {
    const at = now()
    const bucket = buckets.get(key) ?? { left: size, at }
    bucket.left = Math.min(size, bucket.left + ((at - bucket.at) / 1_000) * perSecond * speed)
    bucket.at = at
    buckets.set(key, bucket)
    return bucket
  }

  /** Takes a token. Returns the whole seconds until there is one if there is none. */
  function take(bucket: Bucket, { perSecond }: Limit): number {
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / (perSecond * speed)))
    bucket.left -= 1
    return 0
  }

  /** Takes a token of the machine that the request is about, if its policy has a limit for one machine. */
  function takeOfOne({ policy, ofOne }: Provider, path: string): number {
    const [machine] = /^.*\/virtualmachines\/[^/]+/i.exec(path) ?? []
    return ofOne === undefined || machine === undefined ? 0 : take(filled(`${policy} ${machine.toLowerCase()}`, ofOne), ofOne)
  }

  return (method: string, path: string, principalId: string): Throttled => {
    const kind = method === 'GET' || method === 'HEAD' ? 'reads' : method === 'DELETE' ? 'deletes' : 'writes'
    const ofArm = ARM[kind]
    if (ofArm === undefined || !/^\/subscriptions\/[^/]/i.test(path)) return { refusal: undefined, headers: {} }
    const whole = filled(`${principalId} ${kind}`, ofArm)
    const waitForArm = take(whole, ofArm)
    const headers = { [`x-ms-ratelimit-remaining-subscription-${kind}`]: String(Math.floor(whole.left)) }
    if (waitForArm > 0) {
      const message = `Number of ${kind} for the subscription exceeded the limit. Please try again after '${waitForArm}' seconds.`
      return { refusal: armError(429, 'SubscriptionRequestsThrottled', message, { 'retry-after': String(waitForArm) }), headers }
    }
    const limit = PROVIDERS.find((each) => each.method.test(method) && each.path.test(path))
    if (limit === undefined) return { refusal: undefined, headers }
    const { policy } = limit
    const waitForOne = takeOfOne(limit, path)
    if (waitForOne > 0) {
      const message = `The server rejected the request because too many requests have been received for this resource: ${policy}Resource.`
      return { refusal: armError(429, 'TooManyRequests', message, { 'retry-after': String(waitForOne) }), headers }
    }
    const part = filled(policy, limit)
    const waitForPart = take(part, limit)
    const told = { ...headers, 'x-ms-ratelimit-remaining-resource': `${policy};${Math.floor(part.left)}` }
    if (waitForPart === 0) return { refusal: undefined, headers: told }
    const message = `The server rejected the request because too many requests have been received for this subscription: ${policy}.`
    return { refusal: armError(429, 'TooManyRequests', message, { 'retry-after': String(waitForPart) }), headers: told }
  }
}
