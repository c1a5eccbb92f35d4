import { expect, it } from 'vitest'
import type { FailureMode } from '../../shared/adapters/memory/writeJournal.ts'
import { createSimulation, type Simulation, type SimulationOptions } from './simulation.ts'
import { type Footprint, footprint, scaleDown, scaleUp } from './stories.ts'
import { createVolumes } from './volumes.ts'

/** The time that the requirement gives a story to complete after its process has restarted. */
export const WITHIN_MS = 60_000

export type Story = (simulation: Simulation) => Promise<number | undefined>

/** Scales up and down again. Returns the time of the scale-down. */
export const upAndDown: Story = async (simulation) => ((await scaleUp(simulation)) === undefined ? undefined : scaleDown(simulation))

/** Scales up and down with a volume on each machine. Does not end if a machine is deleted while its volume is attached. */
export const withVolumes: Story = async (simulation) => {
  const attached = (): number => simulation.world.objects.all('volumeAttachment').length
  if ((await scaleUp(simulation)) === undefined) return undefined
  if ((await simulation.runUntil(() => attached() > 0, WITHIN_MS)) === undefined) return undefined
  const took = await scaleDown(simulation)
  return volumesOf.get(simulation)?.cutOff.size === 0 && attached() === 0 ? took : undefined
}

const volumesOf = new WeakMap<Simulation, ReturnType<typeof createVolumes>>()

export async function play(story: Story, options: SimulationOptions = {}, prepare: (simulation: Simulation) => void = () => undefined) {
  const volumes = createVolumes()
  const workload = story === withVolumes ? () => volumes.tick(simulation) : undefined
  const simulation: Simulation = createSimulation({ ...options, ...(workload && { workload }) })
  volumesOf.set(simulation, volumes)
  prepare(simulation)
  const took = await story(simulation)
  return { simulation, took, footprint: footprint(simulation) }
}

export const MODES: readonly FailureMode[] = [
  { when: 'before', how: 'kill' },
  { when: 'after', how: 'kill' },
  { when: 'before', how: 'fault' },
  { when: 'after', how: 'fault' },
]

/** The failure modes of a single process. A kill before a write equals a kill after the previous write, so only the first write is struck before. */
export const MODES_OF_ONE = MODES.filter(({ when, how }) => how !== 'kill' || when === 'after')

/**
 * Without `CRASH_STRIDE`, every write is struck in every mode. With `CRASH_STRIDE=2`, kills strike the even writes and faults the odd ones. Of two
 * processes, one then still dies between any two writes, because kills come before and after a write. A single process dies between every other two.
 * Of the answers of outside systems that lead to different outcomes, one of so many is given.
 */
export const STRIDE = Number(process.env['CRASH_STRIDE'] ?? 1)
if (!Number.isSafeInteger(STRIDE) || STRIDE < 1)
  throw new Error(`CRASH_STRIDE is ${process.env['CRASH_STRIDE']}: must be a whole number of at least 1`)

/** The writes from `first` to `last` that are struck in the mode, each once. */
export function failuresAt(
  mode: FailureMode,
  first: number,
  last: number,
  hosts = 1,
): readonly { readonly n: number; readonly mode: FailureMode }[] {
  const phase = mode.how === 'kill' ? 0 : 1 % STRIDE
  const each = Array.from({ length: last - first + 1 }, (_, index) => ({ n: first + index, mode })).filter(({ n }) => n % STRIDE === phase)
  return mode.how === 'kill' && hosts === 1 ? [{ n: first, mode: { ...mode, when: 'before' } }, ...each] : each
}

/** The struck writes, in the words of test titles. */
export const FAILED_WRITES = STRIDE === 1 ? 'every write' : `one of ${STRIDE} writes`

function isEqual(got: Footprint, calm: Footprint): boolean {
  return JSON.stringify(got) === JSON.stringify(calm)
}

/** Reports whether the same things are left and at most twice as many machines were made. A pod evicted before a plan needs no second machine. */
export function isReplacedOnce(got: Footprint, calm: Footprint): boolean {
  const { claimsEver, machinesEver } = calm
  return got.claimsEver <= 2 * claimsEver && got.machinesEver <= 2 * machinesEver && isEqual({ ...got, claimsEver, machinesEver }, calm)
}

/** Plays the story once for each of its writes, with that write failing. Lists the runs that did not end as they should. */
async function failEveryWrite(
  story: Story,
  mode: FailureMode,
  options: SimulationOptions = {},
  isSame: (got: Footprint, calm: Footprint) => boolean = isEqual,
  within = WITHIN_MS,
): Promise<{ readonly writes: number; readonly wrong: readonly unknown[] }> {
  const calm = await play(story, options)
  const writes = calm.simulation.world.journal.tried()
  const wrong: unknown[] = []
  for (const failure of failuresAt(mode, 1, writes)) {
    const { n } = failure
    const { simulation, took, footprint: got } = await play(story, options, ({ world }) => world.failAt(n, failure.mode))
    const missed = mode.how === 'kill' && simulation.kills() === 0
    const isRight = took !== undefined && took <= within && isSame(got, calm.footprint)
    if (missed || !isRight) wrong.push({ write: n, took, got, around: simulation.world.journal.entries.slice(Math.max(0, n - 3), n + 2) })
  }
  return { writes, wrong }
}

export type StoryWithFailures = {
  readonly story: string
  readonly play: Story
  readonly options?: SimulationOptions
  readonly isSame?: (got: Footprint, calm: Footprint) => boolean
  readonly within?: number
}

/** Declares a test for each story and failure mode of a single process. `CRASH_STRIDE` limits the struck writes. */
export async function testEveryWriteFailure(stories: readonly StoryWithFailures[]): Promise<void> {
  const counted = await Promise.all(
    stories.map(async (struck) => ({ ...struck, writes: (await play(struck.play, struck.options)).simulation.world.journal.tried() })),
  )
  it.each(counted.flatMap((struck) => MODES_OF_ONE.map((mode) => ({ ...struck, ...mode, mode }))))(
    `a $how $when each of the $writes writes while $story: ${FAILED_WRITES}`,
    async ({ play: story, mode, options, isSame, within, writes: known }) => {
      const { writes, wrong } = await failEveryWrite(story, mode, options, isSame, within)
      expect(writes).toBe(known)
      expect(writes).toBeGreaterThan(20)
      expect(wrong).toEqual([])
    },
    300_000,
  )
}
