import { describe, expect, it } from 'vitest'
import type { ArmAnswer } from '../../cli/armCall.ts'
import { epochMs } from '../../shared/model/units.ts'
import { waitForFunction } from './waitForFunction.ts'

const SITE = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/app'

/** Answers with each status in turn, and with the last one from then on. The clock moves when the hook sleeps. */
function world(...statuses: readonly number[]) {
  let now = 1_800_000_000_000
  const asked: string[] = []
  const printed: string[] = []
  const answers = [...statuses]
  const arm = async ({ method, path }: { readonly method: string; readonly path: string }): Promise<ArmAnswer> => {
    asked.push(`${method} ${path}`)
    const status = answers.length > 1 ? (answers.shift() ?? 0) : (answers[0] ?? 0)
    return { status, body: status === 200 ? {} : { error: { code: 'NotFound', message: 'no such function' } }, headers: {} }
  }
  const clock = { now: () => epochMs(now), sleep: async (ms: number) => void (now += ms) }
  const wait = () => waitForFunction({ arm, clock }, SITE, (line) => void printed.push(line))
  return { wait, asked, printed, minutes: () => (now - 1_800_000_000_000) / 60_000 }
}

describe('the wait for the function', () => {
  it('asks once where it is listed', async () => {
    const { wait, asked, printed } = world(200)
    await wait()
    expect(asked).toEqual([`GET ${SITE}/functions/interruption`])
    expect(printed).toEqual([])
  })

  it('goes on while it is not, and says once on what it waits', async () => {
    const { wait, asked, printed } = world(...Array.from({ length: 20 }, () => 404), 200)
    await wait()
    expect(asked).toHaveLength(21)
    expect(printed).toEqual(['wait  until Azure lists the function interruption of the app, at most 10 minutes'])
  })

  it('ends after ten minutes, with what to do', async () => {
    const { wait, minutes } = world(404)
    await expect(wait()).rejects.toThrow(
      'AZURE.FAILED   Azure does not list the function interruption of the app after 10 minutes: 404 NotFound: no such function; the log of the app says why, see docs/troubleshoot.md; then run: azd up',
    )
    expect(minutes()).toBe(10)
  })

  it('does not wait for a right', async () => {
    const { wait, asked } = world(403)
    await expect(wait()).rejects.toThrow('403')
    expect(asked).toHaveLength(1)
  })
})
