import { describe, expect, it } from 'vitest'
import { clusterId, nodeClaimName } from '../../model/ids.ts'
import type { ClaimMessage } from '../../model/message.ts'
import { epochMs } from '../../model/units.ts'
import { createClaimSteps } from './claimSteps.ts'
import type { ClaimOutcome } from './followUp.ts'

const never = new AbortController().signal

function message(claim: string, over: Partial<ClaimMessage> = {}): ClaimMessage {
  return {
    kind: 'nodeClaim',
    cluster: clusterId('c'),
    claim: nodeClaimName(claim),
    follow: false,
    sentAt: epochMs(0),
    attempt: 0,
    ...over,
  }
}

function harness() {
  const begun: ClaimMessage[] = []
  const waiting: { resolve: (outcome: ClaimOutcome) => void; reject: (cause: Error) => void }[] = []
  const steps = createClaimSteps((each) => {
    begun.push(each)
    return new Promise<ClaimOutcome>((resolve, reject) => waiting.push({ resolve, reject }))
  })
  /** Ends the oldest step under way, so that the next one can begin. */
  const end = async (cause?: Error, outcome: ClaimOutcome = 'left'): Promise<void> => {
    const oldest = waiting.shift()
    if (cause === undefined) oldest?.resolve(outcome)
    else oldest?.reject(cause)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { begun, steps, end }
}

describe('createClaimSteps', () => {
  it('takes hints that come during a step as one more look', async () => {
    const { begun, steps, end } = harness()
    const first = steps.step(message('a'), never)
    await Promise.all(Array.from({ length: 50 }, () => steps.step(message('a'), never)))
    expect(begun).toHaveLength(1)
    await end()
    expect(begun).toHaveLength(2)
    await end()
    await first
    expect(begun).toHaveLength(2)
  })

  it('answers what the last look came to, and nothing to a hint that a step under way takes in', async () => {
    const { steps, end } = harness()
    const first = steps.step(message('a'), never)
    const hint = steps.step(message('a'), never)
    await end(undefined, 'left')
    await end(undefined, 'settled')
    expect(await Promise.all([first, hint])).toEqual(['settled', undefined])
  })

  it('steps different claims beside each other', () => {
    const { begun, steps } = harness()
    void steps.step(message('a'), never)
    void steps.step(message('b'), never)
    expect(begun.map((each) => each.claim)).toEqual(['a', 'b'])
  })

  it('keeps the message of the chain until its own look is done', async () => {
    const { begun, steps, end } = harness()
    void steps.step(message('a'), never)
    let isDone = false
    const chain = steps.step(message('a', { follow: true }), never).then(() => {
      isDone = true
    })
    await steps.step(message('a'), never)
    await end()
    expect(begun.map((each) => each.follow)).toEqual([false, true])
    expect(isDone).toBe(false)
    await end()
    await chain
  })

  it('takes a message of the chain that came twice as one look, and as two when it came for the second time after it', async () => {
    const { begun, steps, end } = harness()
    const twice = message('a', { follow: true, sentAt: epochMs(5), attempt: 3 })
    const both = [steps.step(twice, never), steps.step({ ...twice }, never)]
    await end()
    await Promise.all(both)
    expect(begun).toHaveLength(1)
    void steps.step(twice, never)
    void steps.step(message('a', { follow: true, sentAt: epochMs(5), attempt: 4 }), never)
    await end()
    expect(begun.map(({ attempt }) => attempt)).toEqual([3, 3, 4])
  })

  it('goes on with the chain that looks soonest when several wait', async () => {
    const { begun, steps, end } = harness()
    void steps.step(message('a'), never)
    const chains = [4, 2, 9].map((attempt) => steps.step(message('a', { follow: true, sentAt: epochMs(attempt), attempt }), never))
    void steps.step(message('a'), never)
    await end()
    await end()
    await Promise.all(chains)
    expect(begun.map(({ attempt }) => attempt)).toEqual([0, 2])
  })

  it('fails the chain when the step before it failed, so that its message comes back', async () => {
    const { steps, end } = harness()
    const first = steps.step(message('a'), never).catch(String)
    const chain = steps.step(message('a', { follow: true }), never).catch(String)
    await end(new Error('the cluster is away'))
    expect(await Promise.all([first, chain])).toEqual(['Error: the cluster is away', 'Error: the cluster is away'])
  })

  it('serves a claim again after a failure', async () => {
    const { begun, steps, end } = harness()
    const first = steps.step(message('a'), never).catch(String)
    await end(new Error('the cluster is away'))
    await first
    void steps.step(message('a'), never)
    expect(begun).toHaveLength(2)
  })
})
