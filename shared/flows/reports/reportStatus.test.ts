import { describe, expect, it } from 'vitest'
import { MINUTE, NOW } from '../../../test/builders/clock.ts'
import { createMemoryWorld } from '../../adapters/memory/memoryWorld.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { OBJECT_KINDS } from '../../model/clusterObjects.ts'
import { clusterId } from '../../model/ids.ts'
import { Fault, problem } from '../../model/problem.ts'
import { type InvalidObject, reportInvalid } from './reportStatus.ts'

const NEVER = new AbortController().signal
const BROKEN: InvalidObject = {
  kind: 'nodeOverlay',
  key: 'dear',
  problem: problem(
    'INPUT.INVALID',
    'nodeoverlay/dear: spec.capacity["example.com/disk"] is no quantity (quantity "1e1.5": unable to parse)',
  ),
}

function scene() {
  const world = createMemoryWorld({ clock: createVirtualClock(NOW), cluster: clusterId('test') })
  const invalid: InvalidObject[] = []
  const state = { invalid: () => invalid }
  return { world, invalid, report: (ports = world.ports) => reportInvalid(ports, state, NEVER) }
}

describe('an object that cannot be read', () => {
  it('is told of once, on the object and in the log, and again before the Event is gone', async () => {
    const { world, invalid, report } = scene()
    invalid.push(BROKEN)
    for (let round = 0; round < 3; round++) await report()
    const said = expect.stringMatching(
      /^joiner cannot read the object, .*\["example.com\/disk"\] is no quantity .*1e1\.5.*; to do: correct that field/,
    )
    const event = { subject: { kind: 'nodeOverlay', name: 'dear' }, type: 'Warning', reason: 'Unreadable', message: said }
    expect(world.objects.events).toMatchObject([{ event, count: 1 }])
    expect(world.telemetry.lines).toMatchObject([{ level: 'warn', message: said, fields: { code: 'INPUT.INVALID', kind: 'nodeOverlay' } }])
    await world.clock.advance(45 * MINUTE)
    await report()
    expect(world.objects.events).toMatchObject([{ event, count: 2 }])
  })

  it('is told of again once it is broken in another way, or broken anew', async () => {
    const { world, invalid, report } = scene()
    invalid.push(BROKEN)
    await report()
    invalid.splice(0, 1, { ...BROKEN, problem: problem('INPUT.INVALID', 'another rule') })
    await report()
    invalid.length = 0
    await report()
    invalid.push(BROKEN)
    await report()
    expect(world.telemetry.lines).toHaveLength(3)
  })

  it.each(OBJECT_KINDS)('of kind %s is at least in the log', async (kind) => {
    const { world, invalid, report } = scene()
    invalid.push({ ...BROKEN, kind })
    await report()
    expect(world.telemetry.lines).toMatchObject([{ fields: { kind } }])
  })

  it('keeps nothing from going on if its Event cannot be written', async () => {
    const { world, invalid, report } = scene()
    invalid.push(BROKEN)
    const publish = () => Promise.reject(new Fault('publish', problem('KUBE.FAILED', 'no')))
    await report({ ...world.ports, api: { ...world.ports.api, publish } })
    expect(world.telemetry.lines).toHaveLength(2)
  })
})
