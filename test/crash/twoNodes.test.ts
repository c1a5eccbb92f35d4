import { describe, expect, it } from 'vitest'
import { nodeName } from '../../shared/model/ids.ts'
import { LABEL } from '../../shared/model/labels.ts'
import { node } from '../builders/node.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { footprint, scaleUp } from './stories.ts'

const LIMIT_MS = 180_000
const TWIN = nodeName('renamed')

/** Adds a second node with the provider id of the only claim. */
function addTwin({ world }: Simulation): void {
  const [claim] = world.objects.all('nodeClaim')
  if (claim?.status.providerId === undefined) throw new Error('no claim is launched')
  const labels = { [LABEL.nodePool]: 'default', [LABEL.nodeClass]: 'default' }
  world.objects.put('node', { ...node({ name: TWIN, meta: { labels }, ready: false }), providerId: claim.status.providerId })
}

describe('two nodes of one provider id', () => {
  it('CT-07 both end with their claim', async () => {
    const simulation = createSimulation()
    expect(await scaleUp(simulation, 1)).toBeDefined()
    addTwin(simulation)
    const { objects } = simulation.world
    for (const pod of objects.all('pod')) objects.remove('pod', pod.key)
    const isOver = (): boolean => objects.all('node').length === 0 && objects.all('nodeClaim').length === 0
    expect(await simulation.runUntil(isOver, LIMIT_MS)).toBeDefined()
    expect(footprint(simulation)).toMatchObject({ machines: [], interfaces: 0, claims: 0, nodes: 0, failing: 0 })
  })
})
