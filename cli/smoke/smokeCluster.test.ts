import { describe, expect, it } from 'vitest'
import { BOOTSTRAP_GROUP } from '../../shared/adapters/kube/bootstrapTokenCalls.ts'
import type { KubeAnswer } from '../../shared/kubeclient/status.ts'
import { epochMs } from '../../shared/model/units.ts'
import { NOW } from '../../test/builders/clock.ts'
import { letsMachinesJoin } from './smokeCluster.ts'

const SIGNAL = new AbortController().signal
const FORBIDDEN: KubeAnswer = { status: 403, json: { kind: 'Status', message: 'forbidden' } }
const bound = (name: string): KubeAnswer => ({ status: 200, json: { items: [{ subjects: [{ kind: 'Group', name }] }, {}] } })

/** Asks a cluster that refuses until some seconds have passed, and then answers. */
async function asked(seconds: number, then: KubeAnswer) {
  let now = NOW
  const lines: string[] = []
  const clock = { now: () => now, sleep: (ms: number) => Promise.resolve(void (now = epochMs(now + ms))) }
  const call = () => Promise.resolve(now < NOW + seconds * 1_000 ? FORBIDDEN : then)
  const joins = letsMachinesJoin({ call }, { clock, print: (line) => lines.push(line) }, SIGNAL)
  return { joins: await joins.catch(({ message }: Error) => message), lines, seconds: (now - NOW) / 1_000 }
}

describe('the first look of a smoke run into a cluster', () => {
  it.each([
    [BOOTSTRAP_GROUP, true],
    ['others', false],
  ])('tells whether machines may join: a binding of %s', async (group, want) => {
    expect(await asked(0, bound(group))).toEqual({ joins: want, lines: [], seconds: 0 })
  })

  it('waits for a role that was assigned lately, and says so once', async () => {
    const { joins, lines, seconds } = await asked(240, bound(BOOTSTRAP_GROUP))
    expect([joins, lines.length, seconds]).toEqual([true, 1, 240])
  })

  it('ends after five minutes', async () => {
    const { joins, seconds } = await asked(3_600, bound(BOOTSTRAP_GROUP))
    expect([joins, seconds]).toEqual([expect.stringContaining('forbidden'), 300])
  })
})
