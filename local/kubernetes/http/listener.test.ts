import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createServingCertificate } from '../../certificates/serving.ts'
import { createListener } from './listener.ts'

it('stops while a connection has not finished its TLS handshake, and opens again on its port', async () => {
  const listener = createListener(await createServingCertificate('listener-ca', ['localhost']), () => undefined)
  await listener.listen(0)
  const port = listener.port()
  const silent = connect(port, '127.0.0.1')
  await once(silent, 'connect')
  const closed = once(silent, 'close')
  // A connection that the server has accepted, and not only the kernel.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await listener.stop()
  await closed
  await listener.listen(port)
  expect(listener.port()).toBe(port)
  await listener.stop()
}, 10_000)
