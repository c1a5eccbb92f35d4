import { spawn } from 'node:child_process'
import { expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'

/** The one story of whole programs in `npm test`: built, started, told and ended as a newcomer does it. */
it('npm start --once plays the demo from five pods to twenty and to none, and leaves nothing', { timeout: 420_000 }, async () => {
  const { code, text } = await typed('npm', ['start', '--', '--once', '--speed', '20'])
  expect({ code, text }).toMatchObject({ code: 0 })
  expect(text).toMatch(/5 of 5 pods of default\/inflate run[^]*20 of 20 pods of default\/inflate run/)
})

function typed(command: string, args: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: repositoryRoot, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
    child.once('error', reject).once('close', (code) => resolve({ code, text }))
  })
}
