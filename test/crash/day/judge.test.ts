import { describe, expect, it } from 'vitest'
import { createMemoryWorld, type MemoryWorld } from '../../../shared/adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../../shared/adapters/memory/virtualClock.ts'
import { clusterId, nodeClaimName } from '../../../shared/model/ids.ts'

import { durationMs, later } from '../../../shared/model/units.ts'
import { condition } from '../../builders/condition.ts'
import { node } from '../../builders/node.ts'
import { nodeClaim } from '../../builders/nodeClaim.ts'
import { nodePool } from '../../builders/nodePool.ts'
import { pod } from '../../builders/pod.ts'
import { START } from '../simulation.ts'
import { createJudge, type Judge } from './judge.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const BOUNDS = { pendingMs: 125 * SECOND, struckMs: 185 * SECOND, budget: 2 }

type Played = { readonly world: MemoryWorld; readonly judge: Judge; pass(ms: number): Promise<void> }

/** A world with a NodePool. The judge looks every ten seconds, as in a day. */
function play(budget = BOUNDS.budget): Played {
  const clock = createVirtualClock(START)
  const world = createMemoryWorld({ clock, cluster: clusterId('test') })
  world.objects.put('nodePool', nodePool())
  const judge = createJudge(world, { ...BOUNDS, budget })
  return {
    world,
    judge,
    async pass(ms) {
      for (const end = clock.now() + ms; clock.now() < end; ) {
        await clock.advance(10 * SECOND)
        await judge.look()
      }
    },
  }
}

const claimOf = (name: string) => nodeClaim({ name, meta: { createdAt: START } })

/** Nodes that are up, of which the first ones are broken. */
function addNodes({ objects }: MemoryWorld, count: number, broken: number): void {
  for (let index = 0; index < count; index++) {
    const claim = `default-${String(index).padStart(5, '0')}`
    const ill = index < broken ? { conditions: [condition('Ready', { status: 'False' })] } : {}
    objects.put('node', node({ claim, ...ill }))
  }
}

function repair({ telemetry, objects }: MemoryWorld, index: number): void {
  const name = `default-${String(index).padStart(5, '0')}`
  if (objects.get('nodeClaim', name) === undefined) objects.put('nodeClaim', claimOf(name))
  const machine = { nodePool: 'default', sku: undefined, zone: undefined, capacityType: undefined, savingsPerHour: undefined }
  telemetry.event('disruption.decision', { cluster: 'test', nodeClaim: name, reason: 'Unhealthy', ...machine })
}

describe('the judge of a day', () => {
  it('finds a pod that waits at a full hour for longer than boot and a minute, to the second', async () => {
    const { world, judge, pass } = play()
    world.objects.put('pod', pod({ name: 'late', createdAt: START }))
    await pass(120 * SECOND)
    judge.atTheHour()
    expect(judge.wrong()).toEqual([])
    await pass(10 * SECOND)
    expect(judge.wrong()).toEqual([])
    judge.atTheHour()
    expect(judge.wrong()).toEqual(['0.036 h: pod default/late has no node for 130 s, more than 125 s'])
  })

  it('finds a pod that waits too long at any time, and one that got its node too late between two looks', async () => {
    const { world, judge, pass } = play()
    for (const name of ['waits', 'bound']) world.objects.put('pod', pod({ name, createdAt: START }))
    await pass(180 * SECOND)
    await world.clock.advance(6 * SECOND)
    world.objects.bind(pod({ name: 'bound' }).key, node().name)
    await pass(10 * SECOND)
    expect(judge.wrong()).toEqual([
      '0.054 h: pod default/bound has no node for 186 s, more than 185 s',
      '0.054 h: pod default/waits has no node for 196 s, more than 185 s',
    ])
    expect(judge.pods).toEqual({ waited: 1, late: 1 })
  })

  it.each<[string, (world: MemoryWorld) => void]>([
    ['node joiner-default-aaaaa', ({ objects }) => void objects.put('node', node())],
    [
      'interface joiner-default-aaaaa',
      ({ machines }) =>
        void machines.interfaces.set('joiner-default-aaaaa', {
          name: 'joiner-default-aaaaa',
          claim: nodeClaimName('default-aaaaa'),
          createdAt: START,
        }),
    ],
    ['token of joiner-default-aaaaa', addToken],
    [
      'token of default-aaaaa, whose node has joined',
      (world) => {
        addToken(world)
        world.objects.put('nodeClaim', nodeClaim({ meta: { createdAt: START } }))
      },
    ],
    ['nodeclaim default-aaaaa without a machine', ({ objects }) => void objects.put('nodeClaim', nodeClaim())],
    ['nodeclaim default-aaaaa', ({ objects }) => void objects.put('nodeClaim', nodeClaim({ nodePool: 'gone' }))],
  ])('finds that nobody owns %s', async (name, add) => {
    const { world, judge, pass } = play()
    add(world)
    await pass(11 * MINUTE)
    expect(judge.wrong()).toEqual([])
    await pass(MINUTE)
    expect(judge.wrong()).toContainEqual(expect.stringMatching(new RegExp(` ${name} has neither owner nor pods$`)))
  })

  it('finds more repairs at once than a twentieth of the nodes, or than the budget', async () => {
    const { world, judge, pass } = play(3)
    addNodes(world, 40, 3)
    await pass(10 * SECOND)
    for (const index of [0, 1]) repair(world, index)
    await pass(10 * SECOND)
    expect(judge.wrong()).toEqual([])
    repair(world, 2)
    await pass(10 * SECOND)
    expect(judge.wrong()).toEqual(['0.008 h: too many repairs 3 at once where 2 are let'])
    const tight = play(1)
    addNodes(tight.world, 40, 2)
    await tight.pass(10 * SECOND)
    for (const index of [0, 1]) repair(tight.world, index)
    await tight.pass(10 * SECOND)
    expect(tight.judge.wrong()).toEqual(['0.006 h: the budget is overdrawn: 2 of 1'])
  })

  it('finds a repair while more than a fifth of the nodes are broken, and one of a healthy node', async () => {
    const { world, judge, pass } = play()
    addNodes(world, 20, 5)
    await pass(MINUTE)
    repair(world, 0)
    await pass(10 * SECOND)
    expect(judge.wrong()).toEqual(['0.019 h: nodeclaim default-00000 is repaired though 5 nodes are broken, more than 4'])
    const well = play()
    addNodes(well.world, 20, 0)
    await well.pass(MINUTE)
    repair(well.world, 7)
    await well.pass(10 * SECOND)
    expect(well.judge.wrong()).toEqual(['0.019 h: nodeclaim default-00007 is repaired though its node is well'])
  })
})

function addToken({ objects }: MemoryWorld): void {
  objects.tokens.set('abcdef', { claim: nodeClaimName('default-aaaaa'), token: 'abcdef.x', expiresAt: later(START, durationMs(MINUTE)) })
}
