import { describe, expect, it } from 'vitest'
import type { Taint } from '../../shared/model/taint.ts'
import { createSimulation, type Simulation } from './simulation.ts'
import { scaleUp } from './stories.ts'

const TAINT: Taint = { key: 'example.com/network', value: 'starting', effect: 'NoSchedule' }
const PLUGIN_MS = 90_000

/** A network plugin: adds a taint to each node when it first sees the node, and removes the taint once the plugin runs on the node. */
function networkPlugin({ world: { objects, clock } }: Simulation, made: Set<string>): void {
  for (const node of objects.all('node')) {
    const others = node.taints.filter(({ key }) => key !== TAINT.key)
    const isStarting = clock.now() - node.meta.createdAt < PLUGIN_MS
    if (isStarting === others.length < node.taints.length) continue
    objects.put('node', { ...node, taints: isStarting ? [...others, TAINT] : others })
  }
  for (const { name } of objects.all('nodeClaim')) made.add(name)
}

describe('F2: a network plugin puts a taint on each new node for 90 s that nobody declared', () => {
  it('no second node is made for the same pods, and they run once the taint is gone', async () => {
    const made = new Set<string>()
    const simulation: Simulation = createSimulation({ workload: () => networkPlugin(simulation, made) })
    const took = await scaleUp(simulation, 3, { cpus: 3 })
    expect(took).toBeGreaterThan(PLUGIN_MS)
    expect(made.size).toBe(simulation.world.objects.all('node').length)
    const claims = simulation.world.objects.all('nodeClaim')
    expect(made).toEqual(new Set(claims.map(({ name }) => name)))
  })
})
