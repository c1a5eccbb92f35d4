import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const MAIN = join(import.meta.dirname, 'main.ts')
const POOL =
  'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\nspec: {template: {spec: {nodeClassRef: {name: b}, requirements: []}}}\n'

function run(args: readonly string[], input = ''): { readonly code: number | null; readonly out: string; readonly err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'convert', ...args], { input, encoding: 'utf8' })
  return { code: status, out: stdout, err: stderr }
}

describe('joiner convert', () => {
  it('prints standard input in v1', () => {
    expect(run(['-f', '-'], POOL)).toEqual({
      code: 0,
      err: '',
      out: expect.stringContaining('apiVersion: karpenter.sh/v1\nkind: NodePool\n'),
    })
  })

  it('prints nothing and exits with 1 if a field has no v1 form, or the file is not there', () => {
    const refused = run(['--filename', '-'], POOL.replace('requirements', 'kubelet: {podsPerCore: 3}, requirements'))
    expect(refused).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^nodepool\/a: spec\.template\.spec\.kubelet\.podsPerCore: .+\n$/),
    })
    expect(run(['-f', '/nope'])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('/nope cannot be read') })
  })

  it('exits with 2 for wrong arguments, and prints its help', () => {
    expect(run([])).toMatchObject({ code: 2, err: expect.stringMatching(/^-f is missing[\s\S]*npx joiner convert -f FILE/) })
    expect(run(['-f', 'a', 'b'])).toMatchObject({ code: 2 })
    expect(run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('Exit codes: 0 printed') })
  })
})
