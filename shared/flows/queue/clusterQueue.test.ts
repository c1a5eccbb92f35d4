import { describe, expect, it } from 'vitest'
import { node } from '../../../test/builders/node.ts'
import { createVirtualClock } from '../../adapters/memory/virtualClock.ts'
import { nodeClaimName } from '../../model/ids.ts'
import { durationMs, epochMs } from '../../model/units.ts'
import type { ClaimRequest } from '../../model/work.ts'
import { createClusterQueue, type Work } from './clusterQueue.ts'

const START = epochMs(1_800_000_000_000)
const SECOND = 1_000
const CLAIM = nodeClaimName('a')

const news = (more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  claim: CLAIM,
  because: 'news',
  isFollowed: false,
  attempt: 0,
  ...more,
})
const requeue = (more: Partial<ClaimRequest> = {}): ClaimRequest => news({ because: 'requeue', isFollowed: true, attempt: 3, ...more })

function scene() {
  const clock = createVirtualClock(START)
  const queue = createClusterQueue({ clock, batch: { idle: durationMs(0), max: durationMs(0) } })
  /** Takes what is due, and ends its runs. */
  function take(): readonly Work[] {
    const taken: Work[] = []
    for (let work = queue.get(); work !== undefined; work = queue.get()) taken.push(work)
    for (const work of taken) queue.done(work)
    return taken
  }
  return { clock, queue, take }
}

const requestsOf = (taken: readonly Work[]): readonly ClaimRequest[] => taken.flatMap((work) => ('request' in work ? [work.request] : []))

describe('the requests of one claim', () => {
  it('are one run, which reads everything if one of them knows nothing', () => {
    const { queue, take } = scene()
    queue.reconcile(news({ known: { isComing: true } }))
    queue.reconcile(news())
    queue.reconcile(news({ known: { node: node() } }))
    expect(requestsOf(take())).toEqual([news()])
  })

  it('keep all that is known, and of two known objects the later one', () => {
    const { queue, take } = scene()
    const [old, now] = [node({ ready: false }), node()]
    queue.reconcile(news({ known: { isComing: true, node: old } }))
    queue.reconcile(news({ known: { node: now } }))
    expect(requestsOf(take())).toEqual([news({ known: { isComing: true, node: now } })])
  })

  it('keep the pauses of the one that is followed, and the weightiest reason', () => {
    const { queue, take } = scene()
    queue.reconcile(requeue(), 10 * SECOND)
    queue.reconcile(news())
    expect(requestsOf(take())).toEqual([requeue({ because: 'news' })])
    queue.reconcile(requeue(), 10 * SECOND)
    queue.reconcile(news({ because: 'resync', isFollowed: true, attempt: 17 }))
    expect(requestsOf(take())).toEqual([requeue({ because: 'resync' })])
  })

  it('run at the earliest time, but news for a later time waits for it', async () => {
    const { clock, queue, take } = scene()
    const later = news({ known: { isComing: true } })
    queue.reconcile(requeue(), 4 * SECOND)
    queue.reconcile(later, 11 * SECOND)
    await clock.advance(4 * SECOND)
    expect(requestsOf(take())).toEqual([requeue()])
    expect(queue.nextAt()).toBe(START + 11 * SECOND)
    await clock.advance(7 * SECOND)
    expect(requestsOf(take())).toEqual([later])
    expect(queue.size()).toBe(0)
  })

  it('that come during a run are another run after it', () => {
    const { queue } = scene()
    queue.reconcile(news())
    const first = queue.get() ?? expect.fail('nothing is due')
    queue.reconcile(news({ known: { node: node() } }))
    expect(queue.get()).toBeUndefined()
    queue.done(first)
    expect(queue.get()).toMatchObject({ request: { known: { node: { name: node().name } } } })
  })

  it('of a run that failed are there again, with those that came meanwhile', async () => {
    const { clock, queue, take } = scene()
    const launch = news({ isFollowed: true, known: { isComing: true } })
    queue.reconcile(launch)
    const work = queue.get() ?? expect.fail('nothing is due')
    queue.reconcile(news({ known: { node: node() } }), 0)
    expect(queue.failed(work)).toBe(1)
    queue.done(work)
    await clock.advance(SECOND)
    expect(requestsOf(take())).toEqual([{ ...launch, known: { isComing: true, node: node() } }])
  })
})

describe('a process follows a claim', () => {
  it('while a run that is followed waits or runs, and is not overdue by ten seconds', async () => {
    const { clock, queue } = scene()
    queue.reconcile(news())
    expect(queue.follows(CLAIM), 'by news alone').toBe(false)
    queue.reconcile(requeue(), SECOND)
    expect(queue.follows(CLAIM)).toBe(true)
    await clock.advance(10 * SECOND)
    expect(queue.follows(CLAIM), 'it was due at once').toBe(false)
    const work = queue.get() ?? expect.fail('nothing is due')
    expect(queue.follows(CLAIM), 'it runs').toBe(true)
    await clock.advance(10 * SECOND)
    expect(queue.follows(CLAIM), 'it hangs').toBe(false)
    queue.done(work)
    expect(queue.follows(CLAIM)).toBe(false)
  })

  it('no longer once the clock went back so far that its run is far away', () => {
    const { queue } = scene()
    queue.reconcile(requeue(), 60 * SECOND + 1)
    expect(queue.follows(CLAIM)).toBe(false)
  })
})

describe('decisions', () => {
  it('come before claims', () => {
    const { queue, take } = scene()
    queue.reconcile(news())
    queue.decide({ because: 'changes', eventAt: START })
    expect(take().map(({ key }) => key)).toEqual(['decide', 'claim/a'])
  })

  it('come at each of several times, and at the earliest of those that decisions asked for', async () => {
    const { clock, queue, take } = scene()
    queue.decideAtEach([10, 20, 30].map((seconds) => epochMs(START + seconds * SECOND)))
    queue.decideAt(epochMs(START + 5 * SECOND))
    queue.decideAt(epochMs(START + 7 * SECOND))
    const at: number[] = []
    for (let second = 0; second <= 40; second++) {
      if (take().length > 0) at.push(second)
      await clock.advance(SECOND)
    }
    expect(at).toEqual([5, 10, 20, 30])
  })

  it('are made again after pauses that grow, however many other reasons there are meanwhile', async () => {
    const { clock, queue, take } = scene()
    const at: number[] = []
    queue.retryDecide()
    for (let second = 0; second < 40; second++) {
      for (let post = 0; post < 3; post++) queue.retryDecide()
      if (take().length > 0) at.push(second)
      await clock.advance(SECOND)
    }
    expect(at.slice(0, 4)).toEqual([1, 3, 7, 15])
    queue.forgetDecide()
    await clock.advance(60 * SECOND)
    take()
    queue.retryDecide()
    expect((queue.nextAt() ?? 0) - clock.now()).toBe(SECOND)
  })
})

describe('a process that ends', () => {
  it('begins no more work, and knows what is left', () => {
    const { queue, take } = scene()
    queue.reconcile(news())
    queue.shutDown()
    expect([take(), queue.size(), queue.isShuttingDown()]).toEqual([[], 1, true])
    expect(queue.waiting()).toEqual([news()])
  })
})
