/** An API server that refuses the NodeClaims of one NodePool: with each status that a server may answer, through the real adapter. */
import { afterAll, describe, expect, it } from 'vitest'
import { type HttpAnswer, serve } from '../../local/azure/httpServer.ts'
import { createClusterApi } from '../../shared/adapters/kube/createClusterApi.ts'
import type { ClusterDeps } from '../../shared/flows/deps/clusterDeps.ts'
import { clusterId, DEFAULT_MACHINE_NAMES } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import type { NodeClaimDraft } from '../../shared/model/nodeClaim.ts'
import { nodePool } from '../builders/nodePool.ts'
import { type PodShape, pods } from '../builders/pod.ts'
import { SILENT } from '../builders/telemetry.ts'
import { createSimulation, type Simulation } from './simulation.ts'

const MINUTE = 60_000
const TICK = { tickMs: 1_000, resyncEveryMs: 30_000 }
/** A row of refusals of one claim: at once, and after one, two, four, eight and sixteen minutes. */
const MOST_IN_HALF_AN_HOUR = 6

type Answer = { readonly status: number; readonly message?: string }

/** Answers that say that this claim is not acceptable. `NAME` stands for its name. */
const DENIED: { readonly [what: string]: Answer } = {
  'a webhook that says no more': { status: 400, message: 'admission webhook "policy.example.com" denied the request without explanation' },
  'a webhook that forbids': { status: 403, message: 'admission webhook "policy.example.com" denied the request: no cost centre' },
  'an admission plugin': { status: 403, message: 'nodeclaims.karpenter.sh "NAME" is forbidden: no cost centre' },
  'a policy that forbids': {
    status: 403,
    message: `nodeclaims.karpenter.sh "NAME" is forbidden: ValidatingAdmissionPolicy 'cost' with binding 'all' denied request: no cost centre`,
  },
  'an object that is too large': { status: 413, message: 'limit is 3145728' },
  'a rule of the definition': { status: 422, message: 'NodeClaim.karpenter.sh "NAME" is invalid: spec.requirements: no cost centre' },
}

/** Answers that say nothing about this claim. */
const NOT_ABOUT_IT: { readonly [what: string]: Answer } = {
  'no right': {
    status: 403,
    message:
      'nodeclaims.karpenter.sh is forbidden: User "app" cannot create resource "nodeclaims" in API group "karpenter.sh" at the cluster scope',
  },
  'a proxy that forbids': { status: 403, message: 'Forbidden' },
  ...Object.fromEntries(
    [401, 402, 404, 405, 406, 407, 408, 409, 410, 411, 412, 414, 415, 416, 417, 421, 423, 424, 425, 426, 428, 429, 431, 451].map(
      (status) => [`status ${status}`, { status }],
    ),
  ),
  ...Object.fromEntries([500, 501, 502, 503, 504, 505, 507, 508, 511].map((status) => [`status ${status}`, { status }])),
}

let answer: Answer | undefined
const server = await serve(({ body }): HttpAnswer => {
  const { status, message = `the test answers ${answer?.status}` } = answer ?? { status: 500 }
  const name = /"name":"([^"]+)"/.exec(String(body))?.[1] ?? ''
  return { status, body: { kind: 'Status', status: 'Failure', code: status, message: message.replace('NAME', name) } }
}, {})
afterAll(() => server.close())

type Refusing = { readonly simulation: Simulation; readonly tries: () => number; readonly answerWith: (next: Answer | undefined) => void }

/** A cluster whose API server answers so to each claim of the heavy NodePool. */
function refusing(said: Answer, { isOnlyPool = false, isRefused = (_draft: NodeClaimDraft): boolean => true } = {}): Refusing {
  let tries = 0
  answer = said
  const between = (deps: ClusterDeps): ClusterDeps => {
    const { createClaim } = createClusterApi({
      server: server.url,
      caBundle: undefined,
      token: () => Promise.resolve('token'),
      cluster: clusterId('test'),
      machineNames: DEFAULT_MACHINE_NAMES,
      clock: { now: deps.clock.now, sleep: () => Promise.resolve() },
      telemetry: SILENT,
      retry: { retries: 0, firstMs: 0 },
    })
    const create: ClusterDeps['api']['createClaim'] = (draft: NodeClaimDraft, owner, signal) => {
      if (draft.nodePool !== 'heavy') return deps.api.createClaim(draft, owner, signal)
      tries++
      return answer === undefined || !isRefused(draft) ? deps.api.createClaim(draft, owner, signal) : createClaim(draft, owner, signal)
    }
    return { ...deps, api: { ...deps.api, createClaim: create } }
  }
  const simulation = createSimulation({ ...TICK, between })
  const { objects } = simulation.world
  objects.put('nodePool', nodePool({ name: 'heavy', weight: 10 }))
  if (isOnlyPool) objects.remove('nodePool', 'default')
  return { simulation, tries: () => tries, answerWith: (next) => void (answer = next) }
}

function arrive({ world: { objects }, clock }: Simulation, shape: PodShape & { readonly name: string }, count = 1): void {
  const now = clock.now()
  for (const pod of pods(count, { createdAt: now, unschedulableSince: now, cpus: 3, ...shape })) objects.put('pod', pod)
}

function areRunning({ world: { objects } }: Simulation, name: string): boolean {
  return objects.all('pod').every((pod) => !pod.key.includes(`/${name}`) || pod.nodeName !== undefined)
}

function eventsOf({ world: { objects } }: Simulation, reason: string): readonly string[] {
  return [...new Set(objects.events.filter(({ event }) => event.reason === reason).map(({ event }) => event.message))]
}

describe.each(Object.entries(DENIED))('a claim that is refused by %s', (_what, said) => {
  it('is made of the next NodePool at once', async () => {
    const { simulation, tries } = refusing(said)
    arrive(simulation, { name: 'any' }, 3)
    expect(await simulation.runUntil(() => areRunning(simulation, 'any'), MINUTE)).toBeDefined()
    expect(simulation.world.objects.all('nodeClaim').map(({ meta }) => meta.labels[LABEL.nodePool])).not.toContain('heavy')
    const [told = ''] = eventsOf(simulation, 'NodeClaimRefused')
    expect(told).toContain(said.message?.split(': ').at(-1))
    expect(tries()).toBeLessThanOrEqual(3)
  })

  it('is tried a few times if there is no other NodePool, by this process or the next, and the pod is told why', async () => {
    const { simulation, tries, answerWith } = refusing(said, { isOnlyPool: true })
    arrive(simulation, { name: 'any' })
    for (let part = 0; part < 3; part++) {
      await simulation.runUntil(() => false, 10 * MINUTE)
      simulation.configure({})
    }
    expect(tries()).toBeGreaterThan(2)
    expect(tries()).toBeLessThanOrEqual(MOST_IN_HALF_AN_HOUR)
    const [told = '', ...more] = eventsOf(simulation, 'FailedScheduling').filter((each) => each.includes('CLAIM_REFUSED'))
    expect(told).toMatch(
      /nodepool heavy: the API server refused a nodeclaim for such pods: .*; such a nodeclaim is tried again from .*Z; to do: /,
    )
    expect(told).toContain(said.message?.split(': ').at(-1))
    expect(more).toEqual([])
    answerWith(undefined)
    const { objects } = simulation.world
    const pool = objects.get('nodePool', 'heavy') ?? expect.fail('no pool')
    objects.put('nodePool', { ...pool, meta: { ...pool.meta, generation: pool.meta.generation + 1 } })
    expect(await simulation.runUntil(() => areRunning(simulation, 'any'), MINUTE)).toBeDefined()
  })

  it('of a static NodePool is tried a few times, and told on the NodePool', async () => {
    const { simulation, tries, answerWith } = refusing(said)
    const { objects } = simulation.world
    objects.put('nodePool', nodePool({ name: 'heavy', replicas: 3 }))
    arrive(simulation, { name: 'any' })
    await simulation.runUntil(() => false, 30 * MINUTE)
    expect(areRunning(simulation, 'any')).toBe(true)
    // The first time all three, then one at a time.
    expect(tries()).toBeLessThanOrEqual(MOST_IN_HALF_AN_HOUR + 2)
    expect(eventsOf(simulation, 'NodeClaimRefused')[0]).toMatch(/^nodeclaim heavy-\w+ could not be made: /)
    answerWith(undefined)
    const ofPool = () => objects.all('nodeClaim').filter(({ meta }) => meta.labels[LABEL.nodePool] === 'heavy').length
    expect(await simulation.runUntil(() => ofPool() === 3, 40 * MINUTE)).toBeDefined()
  })
})

it('a claim of several pods that is refused for one of them: the others get a machine soon', async () => {
  const isRefused = ({ spec }: NodeClaimDraft): boolean => (spec.requests['cpu'] ?? 0) % 500 !== 0
  const said = DENIED['a webhook that forbids'] ?? expect.fail('no row')
  const { simulation, tries } = refusing(said, { isOnlyPool: true, isRefused })
  arrive(simulation, { name: 'small', cpus: 0.5 }, 2)
  arrive(simulation, { name: 'medium', cpus: 1 })
  arrive(simulation, { name: 'refused', cpus: 5.7 })
  expect(await simulation.runUntil(() => areRunning(simulation, 'small') && areRunning(simulation, 'medium'), 2 * MINUTE)).toBeDefined()
  expect(areRunning(simulation, 'refused')).toBe(false)
  expect(tries()).toBeLessThanOrEqual(6)
})

describe('an answer that says nothing about the claim', () => {
  it.each(Object.entries(NOT_ABOUT_IT))('%s: other NodePools go on, tries have a pace, and no NodePool is blocked', async (_what, said) => {
    const { simulation, tries, answerWith } = refusing(said)
    arrive(simulation, { name: 'any' })
    arrive(simulation, { name: 'other', nodeSelector: { [LABEL.nodePool]: 'default' } })
    expect(await simulation.runUntil(() => areRunning(simulation, 'other'), MINUTE)).toBeDefined()
    await simulation.runUntil(() => false, 3 * MINUTE)
    expect(tries()).toBeLessThanOrEqual(60)
    const ledger = await simulation.world.ports.ledger.load(new AbortController().signal)
    expect(ledger).toMatchObject({ ok: true })
    expect(ledger.ok && ledger.value?.value.claimRefusals).toBeUndefined()
    answerWith(undefined)
    expect(await simulation.runUntil(() => areRunning(simulation, 'any'), 2 * MINUTE)).toBeDefined()
  })

  it('but that the app has no right says so, and does not name the NodePool as its cause', async () => {
    const { simulation } = refusing(NOT_ABOUT_IT['no right'] ?? expect.fail('no row'))
    arrive(simulation, { name: 'any' })
    await simulation.runUntil(() => false, MINUTE)
    const [told = ''] = eventsOf(simulation, 'NodeClaimRefused')
    expect(told).toContain('the app may not create a nodeclaim in this cluster, whatever is in it: ')
    expect(told).toContain('to do: give the identity of the app the ClusterRole of the chart')
  })
})
