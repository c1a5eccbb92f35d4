import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { err, ok } from '../../shared/base/result.ts'
import type { KubeClient, KubeRequest } from '../cluster/client/kubeClient.ts'
import { applyManifests } from './applyManifests.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const MANIFESTS = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: default }
---
# nothing
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: inflate, namespace: demo }
`

/** An API server that refuses the first requests with these codes, and accepts the rest. */
function applied(...codes: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-manifests-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'demo.yaml')
  writeFileSync(file, MANIFESTS)
  const asked: string[] = []
  const left = [...codes]
  const send = async ({ method, path, body }: KubeRequest) => {
    asked.push(`${method} ${path} ${(body as { metadata: { name: string } }).metadata.name}`)
    const code = left.shift() ?? 200
    return code === 200 ? ok({}) : err({ code, reason: 'x', message: `refused with ${code}` })
  }
  const outcome = applyManifests({ send } as unknown as KubeClient, file, new AbortController().signal).then(
    () => 'applied',
    (cause: unknown) => String(cause),
  )
  return { outcome, asked }
}

const POOL = 'POST /apis/karpenter.sh/v1/nodepools default'
const DEPLOYMENT = 'POST /apis/apps/v1/namespaces/demo/deployments inflate'

describe('the manifests of a file', () => {
  it('are made one after the other', async () => {
    const { outcome, asked } = applied()
    expect(await outcome).toBe('applied')
    expect(asked).toEqual([POOL, DEPLOYMENT])
  })

  it('stay as they are where they are there already', async () => {
    const { outcome, asked } = applied(409, 409)
    expect(await outcome).toBe('applied')
    expect(asked).toEqual([POOL, DEPLOYMENT])
  })

  it('wait for a kind that is not served yet', async () => {
    const { outcome, asked } = applied(404, 404)
    await vi.advanceTimersByTimeAsync(199)
    expect(asked).toEqual([POOL, POOL])
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcome).toBe('applied')
    expect(asked).toEqual([POOL, POOL, POOL, DEPLOYMENT])
  })

  it('do not wait for a kind that never comes', async () => {
    const { outcome, asked } = applied(...Array.from({ length: 30 }, () => 404))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await outcome).toMatch(/create NodePool default.*refused with 404/)
    expect(asked).toHaveLength(20)
  })

  it('are given up at once where one is refused', async () => {
    const { outcome, asked } = applied(200, 422)
    expect(await outcome).toMatch(/create Deployment inflate.*refused with 422/)
    expect(asked).toEqual([POOL, DEPLOYMENT])
  })
})
