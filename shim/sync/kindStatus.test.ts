import { describe, expect, it } from 'vitest'
import { createMetrics } from '../metrics.ts'
import { createKeptLog } from '../testing/keptLog.ts'
import { createKindStatus } from './kindStatus.ts'

function createWorld() {
  const log = createKeptLog()
  const metrics = createMetrics()
  const status = createKindStatus('nodePool', { log, metrics })
  const shown = async (): Promise<string | undefined> => /kind_watched\{kind="nodePool"\} (\d)/.exec(await metrics.text())?.[1]
  return { log, status, shown }
}

describe('how well the shim sees a kind', () => {
  it('is said when the API server begins to serve it, and not each time that it is listed', async () => {
    const { log, status, shown } = createWorld()
    status.noteListed(false)
    status.noteListed(false)
    expect(await shown()).toBe('0')
    status.noteListed(true)
    status.noteListed(true)
    expect(await shown()).toBe('1')
    expect(log.entries).toEqual([
      {
        level: 'warn',
        message: expect.stringMatching(/does not serve/),
        fields: { kind: 'nodePool', path: '/apis/karpenter.sh/v1/nodepools' },
      },
      { level: 'info', message: 'watching', fields: { kind: 'nodePool' } },
    ])
    status.noteListed(false)
    expect(log.entries).toHaveLength(3)
  })

  it.each(['list', 'watch'] as const)('is unready while a %s fails, each time with its reason', async (what) => {
    const { log, status, shown } = createWorld()
    status.noteListed(true)
    status.noteUnready(what, new Error('403 forbidden'))
    expect(status.unreadyReason()).toBe(`${what} nodePool: 403 forbidden`)
    expect(await shown()).toBe('0')
    expect(log.entries.at(-1)).toMatchObject({ level: 'warn', fields: { kind: 'nodePool', what, because: '403 forbidden' } })
  })

  it.each([
    ['a list', (status: ReturnType<typeof createKindStatus>) => status.noteListed(true)],
    ['a watch', (status: ReturnType<typeof createKindStatus>) => status.noteWatched()],
  ])('is ready again after %s', async (_, recover) => {
    const { status, shown } = createWorld()
    status.noteUnready('watch', new Error('cut off'))
    recover(status)
    expect(status.unreadyReason()).toBeUndefined()
    expect(await shown()).toBe('1')
  })
})
