import { describe, expect, it } from 'vitest'
import { catalog } from '../../../test/builders/catalog.ts'
import { hence, MINUTE, NOW } from '../../../test/builders/clock.ts'
import { condition } from '../../../test/builders/condition.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { clusterId, nodeName } from '../../model/ids.ts'
import { CALM_ANNOTATION } from '../../model/labels.ts'
import { createWakeUp } from '../messages/wakeUp.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { reconcile } from './reconcile.ts'

const NEVER = new AbortController().signal

/** Three empty machines of a pool that lets `limit` moves begin in an hour. Each look is one of a new process, and ended machines are gone before it. */
function scene(limit: string) {
  const clock = createVirtualClock(NOW)
  const world = createMemoryWorld({ clock, cluster: clusterId('test'), instanceTypes: catalog() })
  const { objects, ports } = world
  objects.put('nodeClass', nodeClass())
  const meta = { annotations: { [CALM_ANNOTATION.mostMovesAnHour]: limit } }
  objects.put('nodePool', nodePool({ meta, disruption: { budgets: [{ nodes: '100%' }] } }))
  for (const name of ['default-n0', 'default-n1', 'default-n2']) {
    objects.put(
      'nodeClaim',
      nodeClaim({ name, status: { conditions: ['Ready', 'Initialized', 'ConsistentStateFound'].map((type) => condition(type)) } }),
    )
    objects.put('node', node({ claim: name }))
  }
  const shim = createMemoryShim(world, 1)
  let isPosted = false

  async function look(): Promise<void> {
    const record = isPosted ? shim.changes() : shim.snapshot()
    isPosted = true
    if (record) await ports.log.append(record, NEVER)
    const session = { reader: createClusterReader(ports.log), wakeUp: createWakeUp(ports) }
    await reconcile({ ...ports, settings: settings() }, session, [], NEVER)
  }

  /** Removes machines whose claims are being deleted, and says how many. */
  function carryOut(): number {
    const ended = objects.all('nodeClaim').filter(({ meta: { deletedAt } }) => deletedAt !== undefined)
    for (const { name } of ended) {
      objects.remove('nodeClaim', name)
      objects.remove('node', nodeName(`joiner-${name}`))
    }
    return ended.length
  }

  return {
    ports,
    /** Looks each minute until no machine is left, and returns the minutes in which moves began, one for each move. */
    async minutesOfMoves(most: number): Promise<readonly number[]> {
      const minutes: number[] = []
      for (let minute = 0; minute <= most; minute++) {
        await look()
        for (let ended = carryOut(); ended > 0; ended--) minutes.push(minute)
        await clock.advance(MINUTE)
      }
      return minutes
    },
    async remembered(): Promise<number | undefined> {
      const loaded = await ports.ledger.load(NEVER)
      return loaded.ok ? loaded.value?.value.begunMoves?.length : undefined
    },
    async rest() {
      const loaded = await ports.ledger.load(NEVER)
      return loaded.ok ? loaded.value?.value.rest : undefined
    },
  }
}

describe('two moves an hour', () => {
  it('begin at once, and the third begins an hour later, whichever process decides', async () => {
    const played = scene('2')
    expect(await played.minutesOfMoves(70)).toEqual([0, 0, 60])
    expect(await played.remembered()).toBe(1)
  })

  it('do not let the cluster rest beyond the time of the next move', async () => {
    const played = scene('2')
    await played.minutesOfMoves(58)
    const rest = await played.rest()
    expect(rest?.until).toBe(hence(60 * MINUTE))
  })

  it('are not counted where the pool has no limit', async () => {
    const played = scene('0')
    expect(await played.minutesOfMoves(3)).toEqual([0, 0, 0])
    expect(await played.remembered()).toBeUndefined()
  })
})
