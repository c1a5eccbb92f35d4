import { execFileSync } from 'node:child_process'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Child, startChild } from './child.ts'

/** Longer than the pause before a process is started again. */
const LATER_MS = 5_000

type Watched = {
  readonly child: Child
  readonly notices: readonly string[]
  readonly noticed: Promise<void>
  readonly end: AbortController
}

/** A process that reports that it is ready and then does nothing. */
function started(code = 'setInterval(() => undefined, 1000)'): Watched {
  const notices: string[] = []
  const end = new AbortController()
  const { promise: noticed, resolve } = Promise.withResolvers<void>()
  const child = startChild({
    name: 'the sleeper',
    args: ['--eval', `${code}; console.log("ready")`],
    env: {},
    isReady: (line) => line === 'ready',
    onLine: () => undefined,
    onNotice: (text) => {
      notices.push(text)
      resolve()
    },
    ending: end.signal,
  })
  onTestFinished(() => child.stop())
  return { child, notices, noticed, end }
}

afterEach(() => void vi.useRealTimers())

describe('a process of the stack', () => {
  it('is started again when it dies, and that is said', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { child, notices, noticed } = started()
    await child.ready()
    const first = child.pid()
    child.kill()
    await noticed
    vi.advanceTimersByTime(LATER_MS)
    await child.ready()
    expect(notices).toEqual(['the sleeper ended with SIGKILL; it is started again'])
    expect(child.pid()).not.toBe(first)
  })

  it('is neither missed nor started again once everything ends: Ctrl-C may reach it before its turn', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { child, notices, end } = started()
    await child.ready()
    const first = child.pid()
    end.abort()
    child.kill()
    await another()
    vi.advanceTimersByTime(LATER_MS)
    expect(notices).toEqual([])
    expect(child.pid()).toBe(first)
  })

  it('is not waited for in vain: it ends by itself once its work is over', async () => {
    // The time after which it would be killed never passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { child } = started('const work = setInterval(() => undefined, 1000); process.once("SIGTERM", () => clearInterval(work))')
    await child.ready()
    await child.stop()
    expect(() => process.kill(child.pid() ?? 0, 0)).toThrow('ESRCH')
  })

  it('has a process group of its own, so that Ctrl-C reaches only the one that ends the others in order', async () => {
    const { child } = started()
    await child.ready()
    const group = execFileSync('ps', ['-o', 'pgid=', '-p', String(child.pid())], { encoding: 'utf8' }).trim()
    expect(group).toBe(String(child.pid()))
  })
})

/** Starts and kills another process and waits for the notice. Earlier deaths have been noticed by then. */
async function another(): Promise<void> {
  const { child, noticed } = started()
  await child.ready()
  child.kill()
  await noticed
}
