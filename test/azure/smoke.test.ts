import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseRecord } from '../../cli/smoke/record.ts'
import { type SmokeWorld, startSmokeWorld } from './smokeWorld.ts'

let world: SmokeWorld
beforeAll(async () => {
  world = await startSmokeWorld()
})
afterAll(() => world.close())
afterEach(() => {
  world.azure.script.clear()
  world.programs.breakDns(false)
})

const RECORDED = /^ 5 record {8}\d+ answers of Azure in \d+ forms are kept, without secrets$/

describe('npx joiner smoke on the local ARM', () => {
  it('tries rights, image and eviction, and leaves nothing', async () => {
    const { code, lines, record, asked } = await world.run()
    expect(code, lines.join('\n')).toBe(0)
    expect(await world.left()).toEqual([])
    expect(lines).toEqual([
      expect.stringMatching(/^ 1 rights {8}(\d+) of \1 actions work, \d+ of them tried, the others as Azure tells$/),
      expect.stringMatching(/^ 2 image {9}2404gen2containerd \d{6}\.\d\d\.\d boots on Standard_\w+, spot$/),
      expect.stringMatching(
        /^ 3 eviction {6}notice after \d+ s, node closed, replaced after \d+ s; not through the app: no app is deployed in this environment$/,
      ),
      ' 4 drain, end    nothing left: 0 VMs, 0 NICs, 0 disks',
      expect.stringMatching(RECORDED),
    ])
    expect(asked).toEqual([expect.stringMatching(/^Make 2 machines one after the other \(at most \$0\.\d\d\) in local, and remove/)])
    expect(record?.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'rights done',
      'image done',
      'eviction done',
      'end done',
      'record done',
    ])
    expect(record?.machines.map(({ bootLog }) => bootLog)).toEqual([expect.stringContaining('Custom script finished'), undefined])
    const text = JSON.stringify(record)
    expect(parseRecord(text)).toEqual({ ok: true, value: record })
    for (const secret of [world.azure.subscriptionId, world.azure.tenantId, 'abcdef.0123456789abcdef', 'AAAAC3NzaC1', 'eyJ'])
      expect(text).not.toContain(secret)
  })

  it('fails where the record would show a secret', async () => {
    // As a record would be that was written by hand, or without the redactor.
    const { record } = await world.run({ onlyRemove: true })
    const leaky = {
      ...record,
      answers: [{ method: 'GET', path: '/x', status: 200, headers: {}, times: 1, body: { a: world.azure.tenantId } }],
    }
    const parsed = parseRecord(JSON.stringify(leaky))
    const { code, lines } = await world.run({ onlyRemove: true, resume: parsed.ok ? parsed.value : undefined })
    expect([code, lines.at(-1)]).toEqual([1, ' 5 record        FAIL  the record holds what looks like a secret'])
  })
})
