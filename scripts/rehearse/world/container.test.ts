import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundleConfig, findRunc } from './container.ts'

const SPEC = {
  root: '/image',
  args: ['/nodejs/bin/node', 'main.mjs'],
  env: { MODE: 'forwarder' },
  workingDirectory: '/app',
  mounted: ['/ca'],
}

describe('the container of the image', () => {
  it.each([
    [0, 65_532, false],
    [1000, 0, true],
  ])('of whoever is %i here has user %i, a namespace of users: %s, and never a right or a place to write to', (uid, user, hasUsers) => {
    const config = bundleConfig(SPEC, uid)
    expect(config).toMatchObject({
      process: { user: { uid: user, gid: user }, noNewPrivileges: true, cwd: '/app', env: ['MODE=forwarder'], args: SPEC.args },
      root: { path: '/image', readonly: true },
    })
    const text = JSON.stringify(config)
    expect(text).not.toContain('CAP_')
    expect(text).toContain('{"destination":"/ca","type":"bind","source":"/ca","options":["rbind","ro"]}')
    expect(text.includes('"type":"user"')).toBe(hasUsers)
    expect(text.includes(`"hostID":${uid}`)).toBe(hasUsers)
  })

  it('is run by the first runc of the path that can be started', () => {
    const [one, two] = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'joiner-runc-')))
    onTestFinished(() => [one, two].forEach((folder) => rmSync(folder ?? '', { recursive: true, force: true })))
    const path = `${one}:${two}`
    expect(findRunc(path)).toBeUndefined()
    writeFileSync(join(one ?? '', 'runc'), '', { mode: 0o644 })
    writeFileSync(join(two ?? '', 'runc'), '')
    chmodSync(join(two ?? '', 'runc'), 0o755)
    expect(findRunc(path)).toBe(join(two ?? '', 'runc'))
  })
})
