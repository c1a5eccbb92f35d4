import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { DEFAULT_SIZE, nodeClaim, nodeNameOf } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { pod } from '../../../test/builders/pod.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId } from '../../model/ids.ts'
import { CALM_ANNOTATION, LABEL, type Labels } from '../../model/labels.ts'
import type { Ledger } from '../../model/ledger.ts'
import { durationMs } from '../../model/units.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { type ReconcileSession, reconcile } from './reconcile.ts'

const NEVER = new AbortController().signal

type Given = {
  readonly annotations: Labels
  readonly machines: number
  readonly isBusy?: boolean
  readonly size?: string
  readonly zones?: readonly string[]
}

/**
 * Machines of one pool, empty or each with a pod of the same workload. Each minute has a run of a new process. Ended machines are gone before the next
 * look, and their pods run elsewhere.
 */
function scene({ annotations, machines, isBusy = false, size = DEFAULT_SIZE, zones }: Given) {
  const clock = createVirtualClock(NOW)
  const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
  const { objects, ports } = world
  objects.put('nodeClass', nodeClass())
  const disruption = {
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    consolidateAfter: durationMs(0),
    budgets: [{ nodes: '100%' }],
  } as const
  objects.put('nodePool', nodePool({ meta: { annotations }, disruption }))
  for (let index = 0; index < machines; index++) {
    const name = `default-n${index}`
    const zone = zones?.[index] ?? 'eastus-1'
    const nodeSelector = zones === undefined ? {} : { [LABEL.zone]: zone }
    const conditions = ['Ready', 'Initialized', 'ConsistentStateFound'].map((type) => condition(type))
    objects.put('nodeClaim', nodeClaim({ name, size, zone, status: { conditions } }))
    objects.put('node', node({ claim: name, size, zone }))
    if (isBusy)
      objects.put('pod', pod({ name: `p${index}`, cpus: 0.1, memoryGib: 0.1, phase: 'Running', nodeName: nodeNameOf(name), nodeSelector }))
  }
  const shim = createMemoryShim(world, 1)
  let isPosted = false
  let session = newSession()

  function newSession(): ReconcileSession {
    return { reader: createClusterReader(ports.log) }
  }

  /** `meanwhile`: what happens after the shim has posted. */
  async function run(meanwhile: () => void = () => undefined): Promise<void> {
    const record = isPosted ? shim.changes() : shim.snapshot()
    isPosted = true
    if (record) await ports.log.append(record, NEVER)
    meanwhile()
    await reconcile({ ...ports, settings: settings() }, session, [], NEVER)
  }

  /** Removes machines whose claims are being deleted, and says how many. Their pods run on the last machine from now on. */
  function carryOut(): number {
    const ended = objects.all('nodeClaim').filter(({ meta: { deletedAt } }) => deletedAt !== undefined)
    for (const { name } of ended) {
      objects.remove('nodeClaim', name)
      objects.remove('node', nodeNameOf(name))
      const last = objects.all('node').at(-1)?.name
      for (const each of objects.all('pod'))
        if (each.nodeName === nodeNameOf(name) && last !== undefined) objects.put('pod', { ...each, nodeName: last })
    }
    return ended.length
  }

  return {
    ports,
    run,
    wait: () => clock.advance(MINUTE),
    restart(): void {
      session = newSession()
    },
    /** Machines without pods begin to end. */
    end(names: readonly string[]): void {
      for (const name of names) {
        objects.delete('nodeClaim', name)
        for (const each of objects.all('pod')) if (each.nodeName === nodeNameOf(name)) objects.remove('pod', each.key)
      }
    },
    remove(names: readonly string[]): void {
      for (const name of names) {
        objects.remove('nodeClaim', name)
        objects.remove('node', nodeNameOf(name))
      }
    },
    /** Puts a pod onto each node. */
    occupy(): void {
      for (const { name } of objects.all('node')) objects.put('pod', pod({ name: `on-${name}`, phase: 'Running', nodeName: name }))
    },
    /** Looks each minute, up to the last one, and returns the minutes in which moves began, one for each move. */
    async minutesOfMoves(last: number): Promise<readonly number[]> {
      const minutes: number[] = []
      for (let minute = 0; minute <= last; minute++) {
        session = newSession()
        await run()
        for (let ended = carryOut(); ended > 0; ended--) minutes.push(minute)
        await clock.advance(MINUTE)
      }
      return minutes
    },
    async ledger(): Promise<Ledger | undefined> {
      const loaded = await ports.ledger.load(NEVER)
      return loaded.ok ? loaded.value?.value : undefined
    },
  }
}

const limited = (limit: string) => scene({ annotations: { [CALM_ANNOTATION.mostMovesAnHour]: limit }, machines: 3 })

describe('two moves an hour', () => {
  it('begin at once, and the third begins an hour later, whichever process decides', async () => {
    const played = limited('2')
    expect(await played.minutesOfMoves(70)).toEqual([0, 0, 60])
    expect((await played.ledger())?.begunMoves).toEqual([{ pools: ['default'], beganAt: hence(60 * MINUTE) }])
  })

  it('do not let the cluster rest beyond the time of the next move', async () => {
    const played = limited('2')
    await played.minutesOfMoves(58)
    expect((await played.ledger())?.rest?.until).toBe(hence(60 * MINUTE))
  })

  it('are not counted where the pool has no limit', async () => {
    const played = limited('0')
    expect(await played.minutesOfMoves(3)).toEqual([0, 0, 0])
    expect(await played.ledger()).not.toHaveProperty('begunMoves')
  })
})

describe('half an hour of rest after a move', () => {
  // With 16 machines and fewer, nodes may be bought for a merge, and new nodes never join here.
  const resting = (rest: string) => scene({ annotations: { [CALM_ANNOTATION.restAfterMove]: rest }, machines: 20, isBusy: true })

  it('lets a workload be moved again half an hour after its last move was done, whichever process decides', async () => {
    const played = resting('30m')
    expect(await played.minutesOfMoves(70)).toEqual([0, 31, 62])
    expect((await played.ledger())?.moveRests).toHaveLength(1)
  })

  it('does not let the cluster rest longer', async () => {
    const played = resting('30m')
    await played.minutesOfMoves(29)
    expect((await played.ledger())?.rest?.until).toBe(hence(31 * MINUTE))
  })

  it.each([
    ['deleted', 18, DEFAULT_SIZE],
    ['replaced', 1, 'Standard_D16as_v6'],
  ])('does not begin with a node that is to be %s and is held at once', async (_how, machines, size) => {
    const annotations = { [CALM_ANNOTATION.restAfterMove]: '30m' }
    const begun = scene({ annotations, machines, isBusy: true, size })
    await begun.run()
    expect((await begun.ledger())?.moveRests).toHaveLength(1)
    const held = scene({ annotations, machines, isBusy: true, size })
    await held.run(held.occupy)
    expect((await held.ledger())?.backOffs).toHaveLength(1)
    expect(await held.ledger()).not.toHaveProperty('moveRests')
  })

  it('is none where the pool asks for none', async () => {
    const played = resting('0s')
    expect((await played.minutesOfMoves(1)).length).toBeGreaterThan(3)
    expect(await played.ledger()).not.toHaveProperty('moveRests')
  })
})

describe('one extra node at once', () => {
  const replacing = (limit: string) =>
    scene({
      annotations: { [CALM_ANNOTATION.mostExtraNodes]: limit },
      machines: 2,
      isBusy: true,
      size: 'Standard_D16as_v6',
      zones: ['eastus-1', 'eastus-2'],
    })

  it('lets the next node be replaced once the one before is gone, whichever process decides', async () => {
    const played = replacing('1')
    const movedBy = async (): Promise<readonly string[]> => {
      played.restart()
      await played.run()
      // The first run of a process leaves moves to the next one while it finds places for pods.
      await played.wait()
      await played.run()
      return (await played.ledger())?.commands.flatMap(({ candidates }) => candidates.map(({ claim }) => claim)) ?? []
    }
    const first = await movedBy()
    expect(first).toHaveLength(1)
    expect((await played.ledger())?.extraNodes).toEqual([{ pools: ['default'], moved: first, replacements: 1 }])
    played.end(first)
    expect(await movedBy()).toEqual([])
    expect((await played.ledger())?.extraNodes).toHaveLength(1)
    played.remove(first)
    const second = await movedBy()
    expect(second).toHaveLength(1)
    expect(second).not.toEqual(first)
    expect((await played.ledger())?.extraNodes).toEqual([{ pools: ['default'], moved: second, replacements: 1 }])
  })

  it('is no limit where the pool has none', async () => {
    const played = replacing('0')
    await played.run()
    expect((await played.ledger())?.commands.flatMap(({ candidates }) => candidates)).toHaveLength(2)
    expect(await played.ledger()).not.toHaveProperty('extraNodes')
  })
})
