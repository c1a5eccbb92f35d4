/** A day of equal hours: jobs, a release, a wave of replicas, and a reclaim of spot machines in each. A planner without a circle ends no hour with more nodes. */
import { createRandom } from '../../agreement/random.ts'
import { createCluster } from './cluster.ts'
import { createCycleJudge } from './cycleJudge.ts'
import { createDecisions } from './decisions.ts'
import { roundsAt } from './roundLoads.ts'
import { createSpotWaves } from './spotWaves.ts'

const HOURS = 24
/** The share of the spot machines that are reclaimed in each hour. */
const RECLAIMED = 0.05
const RECLAIM_AT = 50
/** Karpenter's default budget. */
const BUDGET_SHARE = 0.1

export type Round = {
  /** The nodes at the end of the hour. */
  readonly nodes: number
  /** The machines that were made in the hour, and those that moves took away. */
  readonly made: number
  readonly moved: number
}

export type Rounds = { readonly rounds: readonly Round[]; readonly wrong: readonly string[]; readonly longestChain: number }

export type RoundsOptions = {
  readonly nodes: number
  readonly seed: number
  readonly network: number
  /** Called after each hour. */
  readonly tell?: (round: Round, hour: number) => void
}

export async function playRounds({ nodes, seed, network, tell }: RoundsOptions): Promise<Rounds> {
  const random = createRandom(seed)
  const wrong = new Set<string>()
  const rounds: Round[] = []
  let minute = 0
  let [made, moved] = [0, 0]
  const loadsAt = roundsAt(nodes)
  const { simulation, passMinute } = createCluster({
    random,
    network,
    budget: Math.ceil(BUDGET_SHARE * nodes),
    expireAfter: 'Never',
    loads: () => loadsAt(minute),
    step: () => waves.step(),
    look: async () => {
      const decided = decisions()
      made += decided.made.length
      moved += decided.taken.length
      judge.look(decided)
    },
  })
  const { world } = simulation
  const decisions = createDecisions(world)
  const judge = createCycleJudge(world, (what, how) => void wrong.add(`${minute} min: ${what} ${how}`))
  const waves = createSpotWaves(simulation, random, network)
  for (; minute < HOURS * 60; minute++) {
    if (minute % 60 === RECLAIM_AT) waves.begin(RECLAIMED)
    if (minute % 60 === RECLAIM_AT || loadsAt.changesAt(minute)) judge.caused()
    await passMinute()
    if (minute % 60 !== 59) continue
    const round = { nodes: world.objects.all('node').length, made, moved }
    rounds.push(round)
    tell?.(round, rounds.length)
    ;[made, moved] = [0, 0]
    world.objects.events.length = 0
    world.objects.eventPlaces.clear()
  }
  return { rounds, wrong: [...wrong], longestChain: judge.counts.longestChain }
}
