import { describe, expect, it } from 'vitest'
import { play, type Story, testEveryWriteFailure } from './everyWrite.ts'
import type { Simulation } from './simulation.ts'
import { scaleDown, scaleUp } from './stories.ts'

const LIMIT_MS = 60_000

/** The class of running machines gets other tags. Waits until each machine and interface has them. Then everything is scaled down. */
const retag: Story = async (simulation) => {
  if ((await scaleUp(simulation)) === undefined) return undefined
  const { objects, machines } = simulation.world
  const names = machines.all().map(({ instance }) => instance.name)
  const [before] = objects.all('nodeClass')
  if (before === undefined) throw new Error('the simulation has no class')
  objects.put('nodeClass', { ...before, spec: { ...before.spec, tags: { team: 'blue' } } })
  const took = await simulation.runUntil(() => areTagged(simulation) && areNoted(simulation), LIMIT_MS)
  const areSame = JSON.stringify(machines.all().map(({ instance }) => instance.name)) === JSON.stringify(names)
  return took === undefined || !areSame ? undefined : (await scaleDown(simulation)) && took
}

function areTagged({ world: { machines } }: Simulation): boolean {
  return machines
    .all()
    .every(({ instance: { name } }) => ['vm', 'nic'].every((kind) => machines.tags.get(`${kind}/${name}`)?.['team'] === 'blue'))
}

function areNoted({ world: { objects } }: Simulation): boolean {
  return objects.all('nodeClaim').every(({ meta }) => meta.annotations['joiner.dev/tags'] === '{"team":"blue"}')
}

describe('new tags of a class', () => {
  it('change machines and interfaces once each, and replace none', async () => {
    const { simulation, footprint } = await play(retag)
    const { entries } = simulation.world.journal
    const writes = (operation: string) => entries.filter((entry) => entry.operation === operation).map(({ object }) => object)
    const tagged = writes('cloud.tagMachine')
    expect(tagged.length).toBe(footprint.machinesEver)
    expect(new Set(tagged).size).toBe(tagged.length)
    expect(writes('cloud.tagInterface').length).toBe(tagged.length)
    expect(simulation.world.objects.all('nodeClaim')).toEqual([])
  })
})

describe('the story is through in time, with nothing left over and nothing done twice', () =>
  testEveryWriteFailure([{ story: 'the tags of a class change', play: retag }]))
