import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Program, startProgram } from './program.ts'

/** Starts a shell script as a program. `printed` returns its output. */
function shell(script: string): { readonly program: Program; readonly printed: () => string } {
  const folder = mkdtempSync(join(tmpdir(), 'joiner-program-'))
  const logFile = join(folder, 'log')
  const program = startProgram({ name: 'tester', file: '/bin/sh', args: ['-c', script], logFile })
  onTestFinished(async () => {
    await program.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return { program, printed: () => readFileSync(logFile, 'utf8') }
}

const says = (printed: () => string, text: string) => expect.poll(printed).toContain(text)

describe('a program', () => {
  it('runs until it is told to stop, which is no failure', async () => {
    const { program, printed } = shell('echo here; exec sleep 100')
    await says(printed, 'here')
    expect(program.isRunning()).toBe(true)
    await program.stop()
    expect(program.isRunning()).toBe(false)
    await expect(Promise.race([program.failed, Promise.resolve('no failure')])).resolves.toBe('no failure')
    await program.stop()
  })

  it('that does not hear is killed', async () => {
    const { program, printed } = shell('trap "" TERM; echo here; while :; do sleep 0.05; done')
    await says(printed, 'here')
    await program.kill()
    expect(program.isRunning()).toBe(false)
  })

  it('that ends by itself says how, and the last that it printed', async () => {
    const { program } = shell('echo first; echo broken >&2; exit 3')
    await expect(program.failed).rejects.toThrow(/^run tester: .*tester ended with exit code 3:\nfirst\nbroken/s)
  })

  it('that is killed by somebody else says by which signal', async () => {
    const { program } = shell('kill -9 $$')
    await expect(program.failed).rejects.toThrow('tester ended with SIGKILL')
  })
})
