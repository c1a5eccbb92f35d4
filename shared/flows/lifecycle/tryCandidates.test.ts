import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { HOUR, hence, NOW } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err, ok } from '../../base/result.ts'
import { planLaunch } from '../../engine/launch/planLaunch.ts'
import { clusterId } from '../../model/ids.ts'
import type { LaunchChoice, LaunchRefusal } from '../../model/instance.ts'
import { problem } from '../../model/problem.ts'
import type { ClusterDeps } from '../deps/clusterDeps.ts'
import { createFirstTries } from '../deps/firstTries.ts'
import { withRecentReads } from '../deps/recentOfferings.ts'
import { launchClaim } from './launchClaim.ts'
import { observeClaim } from './observeClaim.ts'

const NEVER = new AbortController().signal
const CLAIMS = 40
/** How long Azure takes to answer. */
const ANSWER_MS = 3_000

/** Launches claims at once. `answerMs`: how long the answer to a try takes. Returns the tries, and the time until the last machine. */
async function burst(
  refusalOf: (choice: LaunchChoice) => LaunchRefusal | undefined,
  quota?: 'quota is known',
  answerMs: (tries: number) => number = () => ANSWER_MS,
  readMs = 0,
  mayAsk: (claim: string) => boolean = () => true,
) {
  const clock = createVirtualClock(NOW)
  const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
  world.objects.put('nodeClass', nodeClass())
  if (quota !== undefined) world.catalog.quota = { readAt: NOW, usages: { lowprioritycores: { limit: 6, used: 0 } } }
  const tried: string[] = []
  const made: string[] = []
  const launch: ClusterDeps['cloud']['launch'] = async ({ claim, candidate: { choice } }) => {
    if (!mayAsk(claim.name))
      return err({ problem: problem('AZURE.THROTTLED', 'held back', { isLocal: true }), unavailable: [], then: 'retry' })
    const name = `${choice.size} ${choice.zone} ${choice.capacityType}`
    await clock.sleep(answerMs(tried.push(name)), NEVER)
    const refusal = refusalOf(choice)
    if (refusal !== undefined) return err(refusal)
    made.push(name)
    const { size, zone, capacityType } = choice
    return ok(instance({ size, zone, capacityType }))
  }
  const { ports } = world
  const cloud = { ...ports.cloud, launch }
  const slowly: typeof ports.offerings.unavailable = async (now, signal) => {
    const read = await ports.offerings.unavailable(now, signal)
    await clock.sleep(readMs, NEVER)
    return read
  }
  const offerings = withRecentReads(readMs === 0 ? ports.offerings : { ...ports.offerings, unavailable: slowly })
  const deps = { ...ports, settings: settings(), offerings, firstTries: createFirstTries(), cloud }
  const launches = Array.from({ length: CLAIMS }, async (_, index) => {
    const { name } = world.objects.put('nodeClaim', nodeClaim({ name: `default-${index}`, stage: 'created', spec: { requirements: [] } }))
    const seen = await observeClaim(deps, name, NEVER)
    if (typeof seen !== 'object') expect.fail('no claim of ours')
    await launchClaim(deps, seen, planLaunch(seen.claim, seen.instanceTypes, [], NOW), NEVER)
    return clock.now() - NOW
  })
  const ended = Promise.all(launches)
  for (let turns = 0; turns < 50; turns++) await clock.advance(ANSWER_MS)
  return { tried, made, ms: Math.max(...(await ended)), asked: await ports.offerings.asked(clock.now(), NEVER) }
}

function refused({ size, zone, capacityType }: LaunchChoice, over: Partial<LaunchRefusal> = {}): LaunchRefusal {
  const scope = { kind: 'offering', size, zone, capacityType } as const
  const unavailable = [{ scope, until: hence(HOUR), code: 'AZURE.SKU_NOT_AVAILABLE', message: 'no' } as const]
  return { problem: problem('AZURE.SKU_NOT_AVAILABLE', 'no'), unavailable, then: 'next', ...over }
}

describe('a burst of claims that all want the same offerings', () => {
  it('costs one failed request for each refused offering, not one for each claim', async () => {
    const { tried, made } = await burst((choice) =>
      choice.capacityType === 'spot' && choice.size.includes('D2') ? refused(choice) : undefined,
    )
    expect(made).toHaveLength(CLAIMS)
    const failed = tried.filter((each) => each.includes('D2') && each.endsWith('spot'))
    expect(failed.length).toBeGreaterThan(1)
    expect(failed).toHaveLength(new Set(failed).size)
    expect(tried).toHaveLength(CLAIMS + failed.length)
  })

  it('costs no more where a claim reads what is refused while the answer to another one is written', async () => {
    const isOut = ({ capacityType, size }: LaunchChoice) => capacityType === 'spot' && size.includes('D2')
    const pace = (tries: number) => 100 + ((tries * 7_919) % 1_000)
    const { tried } = await burst((choice) => (isOut(choice) ? refused(choice) : undefined), undefined, pace, 1_000)
    const failed = tried.filter((each) => each.includes('D2') && each.endsWith('spot'))
    expect(failed).toHaveLength(new Set(failed).size)
  })

  it('takes no longer than two answers if Azure has what they want', async () => {
    const { tried, ms } = await burst(() => undefined)
    expect(tried).toHaveLength(CLAIMS)
    expect(ms).toBe(2 * ANSWER_MS)
  })

  it('goes on at once after an answer that says nothing about the offering', async () => {
    const busy = { problem: problem('AZURE.FAILED', 'busy'), unavailable: [], then: 'retry' } as const
    const { tried, ms } = await burst(() => busy)
    expect(tried).toHaveLength(CLAIMS)
    expect(ms).toBe(2 * ANSWER_MS)
  })

  it('costs one request for each refused offering, though the claim that looks is held back by the limit of Azure for one machine', async () => {
    const isOut = ({ capacityType, zone }: LaunchChoice) => capacityType === 'spot' || zone !== 'eastus-3'
    const requests = new Map<string, number>()
    const isWithin = (claim: string): boolean => {
      const count = requests.get(claim) ?? 0
      requests.set(claim, count + 1)
      return count < 2
    }
    const { tried, made } = await burst(
      (choice) => (isOut(choice) ? refused(choice) : undefined),
      undefined,
      () => 500,
      0,
      isWithin,
    )
    const failed = tried.filter((each) => !made.includes(each))
    expect(failed.length).toBeGreaterThan(12)
    expect(failed).toHaveLength(new Set(failed).size)
  })

  it('asks Azure for nothing beyond a quota, and keeps no cores of refused machines', async () => {
    const { tried, made, asked } = await burst((choice) => (choice.size.includes('D2') ? refused(choice) : undefined), 'quota is known')
    expect(made).toHaveLength(CLAIMS)
    const spot = made.filter((each) => each.endsWith('spot'))
    expect(spot.length).toBeLessThanOrEqual(3)
    expect(spot.length).toBeGreaterThan(0)
    expect(tried.filter((each) => !each.includes('D2'))).toHaveLength(CLAIMS)
    expect(asked).toHaveLength(CLAIMS)
  })

  it('uses up the cheap quota, however long each answer takes and in whichever order they come', async () => {
    const paces: readonly ((tries: number) => number)[] = [
      () => ANSWER_MS,
      (tries) => Math.round(10_000 / tries),
      (tries) => 100 + ((tries * 7_919) % 10_000),
      (tries) => (tries % 5 === 1 ? 10_000 : 100),
    ]
    for (const pace of paces) {
      const { tried, made } = await burst(() => undefined, 'quota is known', pace)
      expect([tried.length, made.length]).toEqual([CLAIMS, CLAIMS])
      expect(made.filter((each) => each.endsWith('spot'))).toHaveLength(3)
      const sizes = new Set(made.filter((each) => !each.endsWith('spot')).map((each) => each.split(' ')[0]))
      expect(sizes.size).toBe(1)
    }
  })
})

it('a claim does not wait for another claim beyond its own time', async () => {
  const clock = createVirtualClock(NOW)
  const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
  world.objects.put('nodeClass', nodeClass())
  const asked: string[] = []
  const never: ClusterDeps['cloud']['launch'] = ({ claim }) => new Promise(() => void asked.push(claim.name))
  const deps = { ...world.ports, settings: settings(), firstTries: createFirstTries(), cloud: { ...world.ports.cloud, launch: never } }
  const launch = async (claim: string, signal: AbortSignal) => {
    const { name } = world.objects.put('nodeClaim', nodeClaim({ name: claim, stage: 'created' }))
    const seen = await observeClaim(deps, name, signal)
    if (typeof seen !== 'object') expect.fail('no claim of ours')
    const { candidates } = planLaunch(seen.claim, seen.instanceTypes, [], NOW)
    const [one = expect.fail('no offering')] = candidates.filter(({ choice }) => choice.zone === 'eastus-1')
    await launchClaim(deps, seen, { candidates: [one] }, signal)
  }
  void launch('default-a', NEVER)
  await clock.advance(1)
  const own = new AbortController()
  const waiting = launch('default-b', own.signal)
  await clock.advance(ANSWER_MS)
  own.abort(new Error('out of time'))
  await expect(waiting).rejects.toThrow('out of time')
  expect(asked).toEqual(['default-a'])
})
