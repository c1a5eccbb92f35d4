import { describe, expect, it } from 'vitest'
import { NOW } from '../../../test/builders/clock.ts'
import { disruptionCommand } from '../../../test/builders/disruptionCommand.ts'
import { node } from '../../../test/builders/node.ts'
import { nodeClaim } from '../../../test/builders/nodeClaim.ts'
import { nodeClass } from '../../../test/builders/nodeClass.ts'
import { nodePool } from '../../../test/builders/nodePool.ts'
import { settings } from '../../../test/builders/snapshot.ts'
import { createMemoryShim } from '../../adapters/memory/memoryShim.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import type { DisruptionCommand } from '../../model/disruptionCommand.ts'
import { clusterId } from '../../model/ids.ts'
import { ANNOTATION } from '../../model/labels.ts'
import type { Labels } from '../../model/meta.ts'
import { emptyLedger } from '../ledger/intents.ts'
import { createClusterReader } from '../state/catchUp.ts'
import { explain } from './explain.ts'

const NEVER = new AbortController().signal
const CLUSTER = clusterId('test')

/** The explanation of the only claim. Its node has no pods, and the question names the node. */
async function saidOf(annotations: Labels, commands: readonly DisruptionCommand[] = []) {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: CLUSTER })
  world.objects.put('nodeClass', nodeClass())
  world.objects.put('nodePool', nodePool())
  world.objects.put('nodeClaim', nodeClaim({ name: 'default-a' }))
  if (commands.length > 0) world.objects.put('nodeClaim', nodeClaim({ name: 'default-new', stage: 'launched' }))
  world.objects.put('node', node({ claim: 'default-a', meta: { annotations } }))
  const deps = { ...world.ports, settings: settings() }
  await deps.log.append(createMemoryShim(world, 1).snapshot(), NEVER)
  await deps.ledger.save({ ...emptyLedger(CLUSTER), commands }, undefined, NEVER)
  const answer = await explain(deps, createClusterReader(deps.log), { kind: 'nodeClaim', name: 'joiner-default-a' }, NEVER)
  if (!answer.ok) throw new Error(answer.error.message)
  return { text: answer.value.text.at(-1), explanation: answer.value.explanation }
}

describe('why a machine goes or stays', () => {
  it('is the rule that keeps it', async () => {
    const { text, explanation } = await saidOf({ [ANNOTATION.doNotDisrupt]: 'true' })
    expect(text).toMatch(/^ {2}not disrupted \(DISRUPTION\.DO_NOT_DISRUPT\): /)
    expect(explanation).toMatchObject({ kind: 'there', disruption: { kind: 'stays', code: 'DISRUPTION.DO_NOT_DISRUPT' } })
  })

  it('is what the next decision does with it', async () => {
    const { text } = await saidOf({})
    expect(text).toMatch(/^ {2}the next decision disrupts it \(Empty\): 0 pods to move, no replacement/)
  })

  it('is the move that has it', async () => {
    const { text } = await saidOf({}, [disruptionCommand([nodeClaim({ name: 'default-a' })])])
    expect(text).toMatch(/^ {2}move 7-0 \(Drifted\) has been disrupting it for 60 s: .*; 0 of 1 replacements are ready$/)
  })
})
