import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy between presetd and its database that can simulate network failures.
 *
 * Point presetd at `port`. The proxy forwards every connection until it is cut; `heal` restores it.
 * Only connections through the proxy are affected, so a test can reach the database directly at the
 * same time. `stop` resets all connections and closes the port.
 */
export interface FaultProxy {
  readonly port: number;
  /**
   * `reset` closes every connection and refuses new ones. `silent` drops nothing but forwards
   * nothing either: data waits, new connections get no response.
   */
  cut(how: 'reset' | 'silent'): void;
  /**
   * Forwards again. Data sent during a silent cut arrives, as after retransmission. With
   * `loseConnections`, connections from before the cut stay silent forever, as when a machine or
   * firewall in between has lost their state.
   */
  heal(options?: { readonly loseConnections?: boolean }): void;
  /** Sends new connections to another port from now on. */
  redirectTo(port: number): void;
  stop(): Promise<void>;
}

type State = 'forwarding' | 'reset' | 'silent';

export async function startFaultProxy(target: number): Promise<FaultProxy> {
  let targetPort = target;
  let state: State = 'forwarding';
  const connections = new Set<ProxiedConnection>();

  const server = createServer({ pauseOnConnect: true }, (clientSocket) => {
    if (state === 'reset') {
      clientSocket.resetAndDestroy();
      return;
    }
    const connection = new ProxiedConnection(clientSocket, () => connections.delete(connection));
    connections.add(connection);
    if (state === 'forwarding') connection.connect(targetPort);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      state = how;
      for (const connection of connections) how === 'reset' ? connection.reset() : connection.stall();
    },
    heal({ loseConnections = false } = {}) {
      state = 'forwarding';
      for (const connection of connections) {
        if (!connection.isConnected) connection.connect(targetPort);
        else if (loseConnections) connection.dropServerSide();
        else connection.resume();
      }
    },
    redirectTo(port) {
      targetPort = port;
    },
    async stop() {
      for (const connection of connections) connection.reset();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One proxied connection: the client is presetd, the server is the database. */
class ProxiedConnection {
  readonly #clientSocket: Socket;
  readonly #onClose: () => void;
  #serverSocket: Socket | undefined;
  #isStalled = false;

  constructor(clientSocket: Socket, onClose: () => void) {
    this.#clientSocket = clientSocket;
    this.#onClose = onClose;
    clientSocket.on('error', () => undefined);
    clientSocket.on('close', () => this.#propagateClose());
  }

  get isConnected(): boolean {
    return this.#serverSocket !== undefined;
  }

  connect(port: number): void {
    const clientSocket = this.#clientSocket;
    const serverSocket = connect(port, '127.0.0.1');
    this.#serverSocket = serverSocket;
    serverSocket.on('error', () => clientSocket.resetAndDestroy());
    serverSocket.on('close', () => this.#propagateClose());
    clientSocket.pipe(serverSocket);
    serverSocket.pipe(clientSocket);
  }

  /** Neither end receives data from the other, nor notices that it has closed. */
  stall(): void {
    this.#isStalled = true;
    this.#clientSocket.unpipe();
    this.#serverSocket?.unpipe();
    this.#clientSocket.pause();
    this.#serverSocket?.pause();
  }

  resume(): void {
    const serverSocket = this.#serverSocket;
    if (!this.#isStalled || serverSocket === undefined) return;
    this.#isStalled = false;
    if (this.#clientSocket.destroyed || serverSocket.destroyed) {
      this.#propagateClose();
      return;
    }
    this.#clientSocket.pipe(serverSocket);
    serverSocket.pipe(this.#clientSocket);
  }

  /** The database drops the connection; presetd does not notice. */
  dropServerSide(): void {
    this.#serverSocket?.destroy();
  }

  reset(): void {
    this.#isStalled = false;
    this.#clientSocket.resetAndDestroy();
    this.#serverSocket?.resetAndDestroy();
  }

  #propagateClose(): void {
    if (this.#clientSocket.destroyed) this.#onClose();
    if (this.#isStalled) return;
    this.#clientSocket.destroy();
    this.#serverSocket?.destroy();
  }
}
