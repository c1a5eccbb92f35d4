import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { ago, hence, MINUTE, NOW, SECOND } from '../../../test/builders/clock.ts'
import { instance } from '../../../test/builders/instance.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { defined } from '../../base/values.ts'
import { planLaunch } from '../../engine/launch/planLaunch.ts'
import { clusterId, vmSizeName } from '../../model/ids.ts'
import type { Instance, LaunchChoice, LaunchRefusal } from '../../model/instance.ts'
import { ANNOTATION, LABEL } from '../../model/labels.ts'
import { Fault, PROBLEM_CODES, problem } from '../../model/problem.ts'
import type { UnavailableOffering } from '../../model/unavailableOffering.ts'
import type { EpochMs } from '../../model/units.ts'
import type { ClusterApi } from '../../ports/clusterApi.ts'
import { createLaunchLocks, FLOW_LIMITS } from '../deps/clusterDeps.ts'
import { launchClaim } from './launchClaim.ts'
import { observeClaim } from './observeClaim.ts'

const NEVER = new AbortController().signal
const LOCK = FLOW_LIMITS.launchLock

type Given = {
  readonly annotations?: { readonly [key: string]: string }
  readonly api?: Partial<ClusterApi>
  readonly hasClass?: boolean
  /** The time of the lock that this process wrote with the claim. */
  readonly madeAt?: EpochMs
  readonly sizes?: readonly string[]
  /** Azure's answers to the choices, in order. The last answer is repeated. */
  readonly measured?: (name: string, fields: unknown) => void
  readonly answers?: readonly ((choice: LaunchChoice) => Result<Instance, LaunchRefusal>)[]
}

/** One attempt to launch a claim that was made five seconds ago. */
async function attempt({
  annotations = {},
  api = {},
  hasClass = true,
  madeAt,
  sizes = ['Standard_D4as_v6'],
  measured,
  answers = [made],
}: Given) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test'), instanceTypes: catalog() })
  world.objects.put('nodeClass', nodeClass())
  const requirements = [{ key: LABEL.instanceType, operator: 'In', values: sizes }] as const
  const { name } = world.objects.put(
    'nodeClaim',
    nodeClaim({ stage: 'created', spec: { requirements }, meta: { createdAt: ago(5 * SECOND), annotations } }),
  )
  const tried: LaunchChoice[] = []
  const launch: typeof world.ports.cloud.launch = async ({ candidate: { choice } }) => {
    // Without this, an endless loop would never end the test.
    if (tried.length === 50) expect.fail('the same is tried again and again')
    const answer = answers[Math.min(tried.push(choice), answers.length) - 1]
    return answer?.(choice) ?? expect.fail('no answer')
  }
  const launchLocks = createLaunchLocks()
  const telemetry =
    measured === undefined
      ? world.ports.telemetry
      : { ...world.ports.telemetry, measure: (name: string, _: number, fields: unknown) => measured(name, fields) }
  if (madeAt !== undefined) launchLocks.begin(name, madeAt)
  const deps = { ...world.ports, telemetry, settings: settings(), launchLocks, cloud: { ...world.ports.cloud, launch } }
  const seen = await observeClaim(deps, name, NEVER)
  if (typeof seen !== 'object') expect.fail('no claim of ours')
  const plan = planLaunch(seen.claim, seen.instanceTypes, [], NOW)
  const observation = { ...seen, nodeClass: hasClass ? seen.nodeClass : undefined }
  const outcome = await launchClaim({ ...deps, api: { ...deps.api, ...api } }, observation, plan, NEVER)
  return { world, outcome, tried, claim: world.objects.get('nodeClaim', name) ?? expect.fail('no claim') }
}

function made({ size, zone, capacityType }: LaunchChoice): Result<Instance, LaunchRefusal> {
  return ok(instance({ size, zone, capacityType }))
}

function blocking(size: string): UnavailableOffering {
  return { scope: { kind: 'offering', size: vmSizeName(size) }, until: hence(MINUTE), code: 'AZURE.ALLOCATION.ZONE', message: 'no room' }
}

const refused = (over: Partial<LaunchRefusal> = {}) =>
  err<LaunchRefusal>({
    problem: problem('AZURE.ALLOCATION.ZONE', 'no room'),
    unavailable: [],
    then: 'next',
    ...over,
  })

describe('VM-21, ER-33: launches are counted', () => {
  it('each that is tried, and each that Azure refuses with the code of its refusal', async () => {
    const block = refused({ unavailable: [blocking('Standard_D4as_v6')] })
    const { world } = await attempt({ sizes: ['Standard_D4as_v6', 'Standard_D8as_v6'], answers: [() => block, made] })
    const counted = world.telemetry.measures.filter(({ name }) => name.startsWith('karpenter_instance_vm_create'))
    const [tried, failed] = ['start', 'failure'].map((what) => `karpenter_instance_vm_create_${what}_total`)
    const fields = { cluster: 'test', capacityType: 'spot' }
    expect(counted).toEqual([
      { name: tried, value: 1, fields },
      { name: failed, value: 1, fields: { ...fields, phase: 'sync', errorCode: 'AZURE.ALLOCATION.ZONE' } },
      { name: tried, value: 1, fields },
    ])
  })

  it.each(PROBLEM_CODES.filter((code) => code.startsWith('AZURE.')))('an answer that never came as %s', async (code) => {
    const measures: unknown[] = []
    const answers = [
      () => {
        throw new Fault('launch', problem(code, 'no answer'))
      },
    ]
    await expect(attempt({ answers, measured: (name, fields) => void measures.push([name, fields]) })).rejects.toThrow(Fault)
    expect(measures).toContainEqual([
      'karpenter_instance_vm_create_failure_total',
      { cluster: 'test', capacityType: 'spot', phase: 'sync', errorCode: code },
    ])
  })
})

describe('a launch that Joiner itself holds back', () => {
  const held = problem('AZURE.THROTTLED', 'joiner waits', { retryAfterMs: 9_000, isLocal: true })
  it.each<[sentence: string, answer: () => Result<Instance, LaunchRefusal>]>([
    ['told as a refusal', () => refused({ then: 'retry', problem: held })],
    [
      'told as a fault',
      () => {
        throw new Fault('launch', held)
      },
    ],
  ])('is no failed launch: %s', async (_sentence, answer) => {
    const measures: string[] = []
    const done = await attempt({ answers: [answer], measured: (name) => void measures.push(name) }).catch(() => undefined)
    expect(measures).toContain('karpenter_instance_vm_create_start_total')
    expect(measures).not.toContain('karpenter_instance_vm_create_failure_total')
    expect(done?.world.telemetry.events.filter(({ name }) => name === 'nodeclaim.launch') ?? []).toEqual([])
  })
})

describe('who launches', () => {
  it('is nobody without a class', async () => {
    const { outcome, tried } = await attempt({ hasClass: false })
    expect([outcome.kind, tried]).toEqual(['raced', []])
  })

  it.each([
    [1, LOCK - 1],
    [LOCK - 1, 1],
  ])('is another process for %d ms more than %d', async (since, left) => {
    const { outcome, tried } = await attempt({ annotations: { [ANNOTATION.launchStarted]: String(ago(since)) } })
    expect(outcome).toMatchObject({ kind: 'wait', wakeAt: hence(left), dueAt: hence(left), changed: false })
    expect(tried).toEqual([])
  })

  it.each(['soon', '', '-1', '1.5', '1e400'])(
    'is this one where somebody wrote "%s" in place of the time and the count',
    async (nonsense) => {
      const { tried, claim } = await attempt({ annotations: { [ANNOTATION.launchStarted]: nonsense, [ANNOTATION.launches]: nonsense } })
      expect(tried).toHaveLength(1)
      expect(claim.meta.annotations).toMatchObject({ [ANNOTATION.launchStarted]: String(NOW), [ANNOTATION.launches]: '1' })
    },
  )

  it('is this one at once where it made the claim with the lock, which costs no write and lasts from then', async () => {
    const annotations = { [ANNOTATION.launchStarted]: String(ago(SECOND)), [ANNOTATION.launches]: '1' }
    const patches: unknown[] = []
    const patchClaim: ClusterApi['patchClaim'] = async (claim, patch) => {
      patches.push(patch.annotations?.[ANNOTATION.launchStarted])
      return ok({ ...claim, meta: { ...claim.meta, ...defined(patch) } })
    }
    const { tried } = await attempt({ annotations, api: { patchClaim }, madeAt: ago(SECOND) })
    // The only write is that of the labels of the machine.
    expect([tried.length, patches]).toEqual([1, [String(ago(SECOND))]])
  })

  it.each([
    ['made with another lock', ago(SECOND), ago(2 * SECOND)],
    ['made by another process', ago(SECOND), undefined],
  ])('is another process where the claim was %s', async (_sentence, since, madeAt) => {
    const { outcome, tried } = await attempt({ annotations: { [ANNOTATION.launchStarted]: String(since) }, ...defined({ madeAt }) })
    expect([outcome.kind, tried]).toEqual(['wait', []])
  })

  it('writes its own lock anew where the launch did not come at once, so that a claim that is gone gets no machine', async () => {
    const annotations = { [ANNOTATION.launchStarted]: String(ago(6 * SECOND)), [ANNOTATION.launches]: '1' }
    const { tried, claim } = await attempt({ annotations, madeAt: ago(6 * SECOND) })
    expect(tried).toHaveLength(1)
    expect(claim.meta.annotations).toMatchObject({ [ANNOTATION.launchStarted]: String(NOW), [ANNOTATION.launches]: '2' })
    const gone = await attempt({
      ...{ annotations, madeAt: ago(6 * SECOND) },
      api: { patchClaim: async () => err(problem('KUBE.NOT_FOUND', 'gone')) },
    })
    expect([gone.outcome.kind, gone.tried]).toEqual(['raced', []])
  })

  it('writes the lock anew where the one of the claim is over', async () => {
    const annotations = { [ANNOTATION.launchStarted]: String(ago(LOCK)), [ANNOTATION.launches]: '1' }
    const { tried, claim } = await attempt({ annotations, madeAt: ago(LOCK) })
    expect(tried).toHaveLength(1)
    expect(claim.meta.annotations).toMatchObject({ [ANNOTATION.launchStarted]: String(NOW), [ANNOTATION.launches]: '2' })
  })

  it('is this one once the other has had its time, and it counts', async () => {
    const annotations = { [ANNOTATION.launchStarted]: String(ago(LOCK)), [ANNOTATION.launches]: '3' }
    const { tried, claim } = await attempt({ annotations })
    expect(tried).toHaveLength(1)
    expect(claim.meta.annotations).toMatchObject({ [ANNOTATION.launchStarted]: String(NOW), [ANNOTATION.launches]: '4' })
  })

  it('is not the one that was slower', async () => {
    const { outcome, tried } = await attempt({ api: { patchClaim: async () => err(problem('KUBE.CONFLICT', 'no')) } })
    expect([outcome.kind, tried]).toEqual(['raced', []])
  })
})

describe('a machine that Azure takes', () => {
  it('LA-01 LA-03 is asked for once, and its claim is launched and says what it is', async () => {
    const { tried, claim } = await attempt({
      answers: [({ size, zone, capacityType }) => ok(instance({ size, zone, capacityType, imageId: 'i' }))],
    })
    expect(tried).toHaveLength(1)
    const [choice = expect.fail('nothing was tried')] = tried
    expect(claim.meta.labels).toMatchObject({
      [LABEL.instanceType]: choice.size,
      [LABEL.zone]: choice.zone,
      [LABEL.capacityType]: choice.capacityType,
      [LABEL.arch]: 'amd64',
      [LABEL.nodeClass]: 'default',
    })
    const { providerId } = instance()
    expect(claim.status).toMatchObject({ providerId, imageId: 'i', capacity: { cpu: 4_000 }, allocatable: { cpu: 3_900 } })
    expect(claim.status.conditions).toContainEqual(expect.objectContaining({ type: 'Launched', status: 'True', reason: 'Launched' }))
  })

  it.each([
    [{}, 5 * SECOND, 'it was made'],
    [{ [ANNOTATION.decidedAt]: String(ago(2 * SECOND)) }, 2 * SECOND, 'the decision'],
  ])('is said and measured: %j', async (annotations, took, since) => {
    const { world, outcome, claim } = await attempt({ annotations })
    expect(outcome).toMatchObject({ kind: 'wait', wakeAt: hence(2 * SECOND), changed: true })
    expect(claim.status.conditions.find(({ type }) => type === 'Launched')?.status).toBe('True')
    const fields = { cluster: 'test', claim: 'default-aaaaa' }
    expect(world.telemetry.measures.filter(({ name }) => name === 'launched_ms')).toEqual([{ name: 'launched_ms', value: took, fields }])
    expect(world.telemetry.lines).toMatchObject([
      {
        level: 'info',
        message: expect.stringContaining(`${took} ms after ${since}`),
        fields: { ...fields, size: 'Standard_D4as_v6', capacityType: 'spot' },
      },
    ])
  })

  it('and is another one than was asked for is written as what it is', async () => {
    const other = (zone: string) => attempt({ answers: [() => ok(instance({ zone, capacityType: 'on-demand' }))] })
    expect((await other('eastus-3')).claim.meta.labels).toMatchObject({ [LABEL.capacityType]: 'on-demand', [LABEL.zone]: 'eastus-3' })
    expect((await other('eastus-9')).claim.meta.labels).toMatchObject({ [LABEL.capacityType]: 'spot' })
  })
})

describe('a machine that Azure refuses', () => {
  it('blocks what Azure says, for others too, and the next is tried', async () => {
    const sizes = ['Standard_D4as_v6', 'Standard_D8as_v6']
    const { world, tried, claim } = await attempt({
      sizes,
      answers: [() => refused({ unavailable: [blocking('Standard_D4as_v6')] }), made],
    })
    expect(tried.map(({ size }) => size)).toEqual(sizes)
    expect(await world.ports.offerings.unavailable(NOW, NEVER)).toEqual([blocking('Standard_D4as_v6')])
    expect(world.telemetry.lines).toMatchObject([
      {
        level: 'warn',
        message: expect.stringMatching(/^Standard_D4as_v6 in zone .* was refused: no room$/),
        fields: { code: 'AZURE.ALLOCATION.ZONE' },
      },
      { level: 'info' },
    ])
    expect(claim.meta.labels[LABEL.instanceType]).toBe('Standard_D8as_v6')
  })

  it('is not tried again, though less is blocked than was tried: each place of the size once, and then it waits', async () => {
    const { tried, outcome, claim } = await attempt({ answers: [() => refused({ unavailable: [blocking('Standard_Z1')] })] })
    expect(tried).toHaveLength(6)
    expect(new Set(tried.map(({ zone, capacityType }) => `${zone} ${capacityType}`)).size).toBe(6)
    expect(outcome).toMatchObject({ kind: 'wait', wakeAt: hence(SECOND) })
    expect(claim.status.conditions.find(({ type }) => type === 'Launched')).toMatchObject({ status: 'Unknown', message: 'no room' })
  })

  it('and that only this claim knows of is said once nothing else is left, since the next run would try the same', async () => {
    const { outcome, tried, claim } = await attempt({ answers: [() => refused({ own: [blocking('Standard_D4as_v6')] })] })
    expect(tried).toHaveLength(1)
    expect(outcome).toMatchObject({ kind: 'wait', wakeAt: hence(SECOND) })
    expect(claim.status.conditions.find(({ type }) => type === 'Launched')).toMatchObject({ status: 'Unknown', message: 'no room' })
  })

  it('leaves the claim unlocked when nothing is left, so that the next run ends it', async () => {
    const { outcome, claim } = await attempt({ answers: [() => refused({ unavailable: [blocking('Standard_D4as_v6')] })] })
    expect(outcome).toMatchObject({ kind: 'done', changed: true })
    expect(claim.meta.annotations[ANNOTATION.launchStarted]).toBe('0')
  })

  it.each<[sentence: string, over: Partial<LaunchRefusal>, seconds: number]>([
    ['for good', { then: 'stop', unavailable: [blocking('Standard_D4as_v6')] }, 60],
    ['for now', { then: 'retry', unavailable: [blocking('Standard_D4as_v6')] }, 1],
    ['without a word about what to avoid', {}, 1],
  ])(
    'LA-06 %s is the only one that is tried, and is said on the claim with its reason and in its words',
    async (_sentence, over, seconds) => {
      const { outcome, tried, claim } = await attempt({ sizes: ['Standard_D4as_v6', 'Standard_D8as_v6'], answers: [() => refused(over)] })
      expect(tried).toHaveLength(1)
      expect(outcome).toMatchObject({ kind: 'wait', wakeAt: hence(seconds * SECOND) })
      const said = { status: 'Unknown', reason: 'ZonalAllocationFailure', message: 'no room' }
      expect(claim.status.conditions.find(({ type }) => type === 'Launched')).toMatchObject(said)
    },
  )

  it('for longer than the lock lasts keeps the lock for as long', async () => {
    const asked = (retryAfterMs: number) =>
      attempt({ answers: [() => refused({ then: 'retry', problem: problem('AZURE.THROTTLED', 'no', { retryAfterMs }) })] })
    expect((await asked(LOCK + 7_000)).claim.meta.annotations[ANNOTATION.launchStarted]).toBe(String(hence(7_000)))
    expect((await asked(LOCK)).claim.meta.annotations[ANNOTATION.launchStarted]).toBe(String(NOW))
  })
})
