import { describe, expect, it } from 'vitest'
import { nodeClass } from '../builders/nodeClass.ts'
import { play, type Story, testEveryWriteFailure } from './everyWrite.ts'
import { scaleDown, scaleUp } from './stories.ts'

const LIMIT_MS = 60_000

/** A class without a finalizer gets one. It is deleted while machines use it, and goes after the last of them. Returns the time from its deletion on. */
const deleteClass: Story = async (simulation) => {
  const { objects } = simulation.world
  objects.put('nodeClass', nodeClass({ meta: { finalizers: [] } }))
  if ((await scaleUp(simulation)) === undefined) return undefined
  objects.delete('nodeClass', 'default')
  if ((await simulation.runUntil(() => objects.events.some(({ event }) => event.reason === WAITING), LIMIT_MS)) === undefined)
    return undefined
  if (objects.get('nodeClass', 'default') === undefined) return undefined
  const ended = await scaleDown(simulation)
  const gone = await simulation.runUntil(() => objects.get('nodeClass', 'default') === undefined, LIMIT_MS)
  return ended === undefined || gone === undefined ? undefined : ended + gone
}

const WAITING = 'WaitingOnNodeClaimTermination'

describe('NS-12 a class that is deleted while machines use it', () => {
  it('gets its finalizer once, and loses it once, after the last NodeClaim', async () => {
    const { simulation, took } = await play(deleteClass)
    expect(took).toBeLessThanOrEqual(LIMIT_MS)
    const { entries } = simulation.world.journal
    const writes = entries.filter(({ operation }) => operation === 'api.patchNodeClassFinalizers')
    expect(writes).toHaveLength(2)
    expect(entries.findIndex((entry) => entry === writes[0])).toBeLessThan(
      entries.findIndex(({ operation }) => operation === 'api.createClaim'),
    )
    const told = simulation.world.objects.events.filter(({ event }) => event.reason === WAITING)
    expect(told.map(({ event }) => `${event.subject.kind}/${event.subject.name} ${event.type}`)).toEqual(['nodeClass/default Normal'])
  })
})

describe('the story is through in time, with nothing left over and nothing done twice', () =>
  testEveryWriteFailure([{ story: 'the class of running machines is deleted', play: deleteClass }]))
