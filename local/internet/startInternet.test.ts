import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Authority } from '../certificates/authority.ts'
import { createInternetAuthority, type Internet, startInternet } from './startInternet.ts'

const LIMIT_MS = 60_000
const folder = mkdtempSync(join(tmpdir(), 'joiner-internet-'))
const server = createServer((request, response) => {
  let body = ''
  request
    .on('data', (part) => (body += String(part)))
    .on('end', () => response.end(`${request.headers.host} ${request.method} ${request.url} ${body}`))
})
let authority: Authority
let internet: Internet
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
  authority = await createInternetAuthority()
  writeFileSync(join(folder, 'ca.pem'), authority.certificate)
  internet = await startInternet(authority, (host) => {
    if (host === 'closed.example.com') return { status: 403, why: 'nobody is let in' }
    return host === 'known.example.com' || host === '169.254.169.254' ? { url: `http://127.0.0.1:${port}/base` } : undefined
  })
})
afterAll(async () => {
  await internet.close()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Returns what a program in the loopback internet prints. */
async function run(program: string, direct: Readonly<Record<string, number>> = {}): Promise<string> {
  const args = [...internet.argsOf(direct), '--input-type=module', '--eval', program]
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
  return (await promisify(execFile)(process.execPath, args, { env })).stdout.trim()
}

const say = (call: string): string => `const a = await ${call}; console.log(a.status, await a.text())`

describe('a program in the loopback internet', { timeout: LIMIT_MS }, () => {
  it('reaches a name by its own certificate, with its body, whichever client it uses', async () => {
    const call = say("fetch('https://known.example.com/a?b=c', { method: 'POST', body: 'text' })")
    expect(await run(call)).toBe('200 known.example.com POST /base/a?b=c text')
    const https = `import { get } from 'node:https'; get('https://known.example.com/x', (answer) => answer.pipe(process.stdout))`
    expect(await run(https)).toBe('known.example.com GET /base/x')
    expect(internet.called).toContain('known.example.com')
  })

  it('reaches a plain address of the platform', async () =>
    expect(await run(say("fetch('http://169.254.169.254/metadata')"))).toBe('200 169.254.169.254 GET /base/metadata'))

  it('goes straight to this machine, and to what is led there by name', async () => {
    expect(await run(say(`fetch('http://127.0.0.1:${port}/own')`))).toBe(`200 127.0.0.1:${port} GET /own`)
    expect(await run(say("fetch('http://direct.example.com/own')"), { 'direct.example.com': port })).toBe('200 direct.example.com GET /own')
  })

  it('is reached through the proxy by programs of other languages', async () => {
    const port = Number(new URL(internet.proxyUrl).port)
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('CONNECT known.example.com:443 HTTP/1.1\r\nHost: known.example.com\r\n\r\n'),
    )
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    const secure = connectTls({ socket, servername: 'known.example.com', ca: authority.certificate })
    secure.write('GET /proxied HTTP/1.1\r\nHost: known.example.com\r\nConnection: close\r\n\r\n')
    expect(await text(secure)).toContain('known.example.com GET /base/proxied')
  })

  it('is told where nobody lets it in, and where nobody is, and both are known', async () => {
    expect(await run(say("fetch('https://closed.example.com')"))).toMatch(/^403 .*nobody is let in/)
    expect(await run(say("fetch('https://nobody.example.com')"))).toMatch(/^502 .*nobody is called nobody\.example\.com/)
    expect([...internet.unknown]).toEqual(['nobody.example.com'])
  })
})
