import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collectGarbage } from '../../shared/flows/sweep/collectGarbage.ts'
import { ANNOTATION } from '../../shared/model/labels.ts'
import { SIGNAL } from '../azure/harness.ts'
import { eventually } from '../builders/eventually.ts'
import { pod } from '../builders/pod.ts'
import { type ArmCrash, GC_GRACE_MS, type Strike, startArm } from './armCrash.ts'
import { STRIDE } from './everyWrite.ts'

const LIMIT_MS = 300_000

let arm: Awaited<ReturnType<typeof startArm>>
beforeAll(async () => {
  arm = await startArm()
})
afterAll(() => arm.azure.close())

/** A way of a launch: what Azure does to its first requests. */
type Way = { readonly name: string; readonly prepare: (play: ArmCrash) => void }

const WAYS: readonly Way[] = [
  { name: 'the cheapest is had at once', prepare: () => undefined },
  {
    name: 'the cheapest is refused at once',
    prepare: ({ azure }) => azure.script.capacity({ code: 'SkuNotAvailable', times: 1 }),
  },
  {
    name: 'the cheapest fails after Azure took it',
    prepare: ({ azure }) => azure.script.capacity({ code: 'ZonalAllocationFailed', when: 'fail', times: 1 }),
  },
  {
    name: 'the first request for the machine is not answered, and its interface is used again',
    prepare: ({ azure }) =>
      azure.script.http({ method: 'PUT', path: '/virtualMachines/', status: 503, code: 'ServiceUnavailable', times: 1 }),
  },
]

function addPod({ simulation: { world, clock } }: ArmCrash): void {
  const now = clock.now()
  world.objects.put('pod', pod({ name: 'app', createdAt: now, unschedulableSince: now }))
}

function isReady({ simulation: { world } }: ArmCrash): boolean {
  const claims = world.objects.all('nodeClaim')
  return (
    claims.length === 1 && claims.every(({ status }) => status.conditions.some((each) => each.type === 'Ready' && each.status === 'True'))
  )
}

function addTag({ simulation: { world } }: ArmCrash): void {
  for (const each of world.objects.all('nodeClass'))
    world.objects.put('nodeClass', { ...each, spec: { ...each.spec, tags: { team: 'blue' } } })
}

/** The claim says that its machine has the tag. */
function isNoted({ simulation: { world } }: ArmCrash): boolean {
  return world.objects.all('nodeClaim').every(({ meta }) => meta.annotations[ANNOTATION.tags] === '{"team":"blue"}')
}

function blueOnes({ azure }: ArmCrash): number {
  const { vms, nics, disks } = azure.state()
  return [...vms, ...nics, ...disks].filter(({ tags }) => tags['team'] === 'blue').length
}

/** One round of the garbage collection after its grace. A process that dies in it leaves the round to the next one. */
async function gcRound({ azure, deaths, simulation: { clock, world, runUntil, perform } }: ArmCrash): Promise<void> {
  const pass = async (ms: number): Promise<void> => {
    const until = clock.now() + ms
    await runUntil(() => clock.now() >= until, ms + 1_000)
  }
  await pass(GC_GRACE_MS + 1_000)
  for (;;) {
    const before = deaths()
    if ((await perform((deps) => collectGarbage(deps, SIGNAL))) && deaths() === before) break
    await pass(2_000)
  }
  const isDeleting = (): boolean => [...azure.state().vms, ...azure.state().nics].some(({ state }) => state === 'Deleting')
  await eventually(() => expect(isDeleting()).toBe(false))
  // Kubernetes notices that the kubelet of a node is silent before the node is removed.
  await runUntil(() => world.objects.all('node').length === 0, LIMIT_MS)
}

type Left = ReturnType<typeof left>

/** What is on Azure and in the cluster. */
function left({ azure, simulation: { world } }: ArmCrash) {
  const { vms, nics, disks } = azure.state()
  return {
    vms: vms.length,
    nics: nics.length,
    disks: disks.length,
    claims: world.objects.all('nodeClaim').length,
    nodes: world.objects.all('node').length,
    tokens: world.objects.tokens.size,
  }
}

const ONE: Left = { vms: 1, nics: 1, disks: 1, claims: 1, nodes: 1, tokens: 0 }
const NOTHING: Left = { vms: 0, nics: 0, disks: 0, claims: 0, nodes: 0, tokens: 0 }

/** What is left after each part of a story. `never`: the part did not end. */
type Outcome = {
  readonly launched: Left | 'never'
  /** The resources with the new tag. */
  readonly tagged: number
  readonly ended: Left | 'never'
  readonly machinesEver: number
  readonly claimsEver: number
  /** Requests that changed a machine that was there instead of making one. */
  readonly overwritten: number
}

type Play = { readonly outcome: Outcome; readonly play: ArmCrash }
type Story = (way: Way, strike?: Strike) => Promise<Play>

/** A launch, new tags of its class, and the end of its pods. */
async function wholeLife(way: Way, strike?: Strike): Promise<Play> {
  const play = begin(way, strike)
  addPod(play)
  const launched = await leftAfter(play, () => isReady(play))
  addTag(play)
  await play.simulation.runUntil(() => isNoted(play), LIMIT_MS)
  const tagged = blueOnes(play)
  return { outcome: { launched, tagged, ...(await endOf(play)) }, play }
}

/** A launch that is not wanted any more as soon as its process has died, or when its machine is made. */
async function abandoned(way: Way, strike?: Strike): Promise<Play> {
  const play = begin(way, strike)
  addPod(play)
  const launched = await leftAfter(play, () => play.deaths() > 0 || isReady(play))
  return { outcome: { launched, tagged: 0, ...(await endOf(play)) }, play }
}

function begin(way: Way, strike: Strike | undefined): ArmCrash {
  const play = arm.play()
  way.prepare(play)
  if (strike !== undefined) play.strike(strike)
  return play
}

async function leftAfter(play: ArmCrash, holds: () => boolean): Promise<Left | 'never'> {
  return (await play.simulation.runUntil(holds, LIMIT_MS)) === undefined ? 'never' : left(play)
}

/** A launch whose claim is taken away by force, without its finalizer, as soon as its process has died, or when its machine is made. */
async function orphaned(way: Way, strike?: Strike): Promise<Play> {
  const play = begin(way, strike)
  addPod(play)
  const launched = await leftAfter(play, () => play.deaths() > 0 || isReady(play))
  const { objects } = play.simulation.world
  for (const { key } of objects.all('pod')) objects.remove('pod', key)
  for (const { name } of objects.all('nodeClaim')) objects.remove('nodeClaim', name)
  return { outcome: { launched, tagged: 0, ...(await endOf(play)) }, play }
}

/** Removes the pod and its claims, as a user can, and lets the garbage collection have one round. */
async function endOf(play: ArmCrash): Promise<Omit<Outcome, 'launched' | 'tagged'>> {
  const { objects, journal } = play.simulation.world
  for (const { key } of objects.all('pod')) objects.remove('pod', key)
  for (const { name } of objects.all('nodeClaim')) objects.delete('nodeClaim', name)
  const isEnded = (await play.simulation.runUntil(() => objects.all('nodeClaim').length === 0, LIMIT_MS)) !== undefined
  await gcRound(play)
  const claimsEver = journal.entries.filter(({ operation }) => operation === 'api.createClaim').length
  const overwritten = play.calls().filter((call) => call === 'PUT virtualMachines 200').length
  return { ended: isEnded ? left(play) : 'never', machinesEver: play.machinesEver(), claimsEver, overwritten }
}

/** Plays the story once for each of its calls, or for one of `CRASH_STRIDE`, with a process that dies there. */
async function strikeEach(story: Story, way: Way, when: Strike['when'], isRight: (got: Outcome, calm: Outcome) => boolean) {
  const calm = (await story(way)).outcome
  const wrong: unknown[] = []
  for (let n = 1; ; n += STRIDE) {
    const { outcome, play } = await story(way, { n, when })
    if (!isRight(outcome, calm)) wrong.push({ n, outcome, around: play.calls().slice(Math.max(0, n - 3), n + 5) })
    if (play.deaths() === 0) return { calm, calls: n - 1, wrong }
  }
}

/** A machine that fails at once may have gone before it was seen. */
function isNothingDoubled(got: Outcome, calm: Outcome): boolean {
  return got.machinesEver <= calm.machinesEver && isSame({ ...got, machinesEver: calm.machinesEver }, calm)
}

function isSame(got: unknown, want: unknown): boolean {
  return JSON.stringify(got) === JSON.stringify(want)
}

const WHEN = ['before', 'after'] as const
const EACH_WAY = WAYS.flatMap((way) => WHEN.map((when) => ({ ...way, way, when })))

describe.each(EACH_WAY)('a process that dies $when any call to Azure, where $name', { timeout: 300_000 }, ({ way, when }) => {
  it('leaves one machine for its claim, with its tags, and nothing when it ends', async () => {
    const { calm, calls, wrong } = await strikeEach(wholeLife, way, when, isNothingDoubled)
    expect(calm).toMatchObject({ launched: ONE, tagged: 3, ended: NOTHING, overwritten: 0 })
    expect(wrong).toEqual([])
    expect(calls).toBeGreaterThan(15)
  })

  it.each([
    ['nobody wants the machine any more', abandoned],
    ['its claim is taken away by force', orphaned],
  ])('leaves nothing if %s', async (_, story) => {
    // A token without its claim ends by itself, as the token controller of Kubernetes has it.
    const isRight = ({ ended, overwritten }: Outcome): boolean =>
      isSame(ended === 'never' ? ended : { ...ended, tokens: 0 }, NOTHING) && overwritten === 0
    const { calls, wrong } = await strikeEach(story, way, when, isRight)
    expect(wrong).toEqual([])
    expect(calls).toBeGreaterThan(8)
  })
})
