import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { runCommand } from './runCommand.ts'

const cwd = realpathSync(tmpdir())
const node = (code: string, env?: NodeJS.ProcessEnv) => runCommand(process.execPath, ['-e', code], { cwd, ...(env && { env }) })

describe('a command', () => {
  it('gives back its code and what it says, on both streams', async () => {
    const { code, output, ms } = await node('console.log("ü out"); console.error("err"); process.exitCode = 3')
    expect({ code, lines: output.trim().split('\n').sort() }).toEqual({ code: 3, lines: ['err', 'ü out'] })
    expect(ms).toBeGreaterThan(0)
  })

  it('runs where it is told, with the environment it is given or ours', async () => {
    const say = 'console.log(process.cwd(), process.env.GREETING)'
    expect((await node(say, { GREETING: 'hello' })).output.trim()).toBe(`${cwd} hello`)
    expect((await node('console.log(process.env.PATH)')).output.trim()).toBe(process.env['PATH'])
  })

  it('has nothing to read', async () => expect((await node('process.stdin.resume()')).code).toBe(0))

  it('that is killed has failed', async () => expect((await node('process.kill(process.pid, "SIGKILL")')).code).toBe(1))

  it('that is not there says so', async () => {
    const { code, output } = await runCommand('no-such-command', [], { cwd })
    expect(code).toBe(127)
    expect(output).toContain('no-such-command')
  })
})
