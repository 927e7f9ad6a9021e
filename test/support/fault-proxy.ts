import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The network between a presetd and its database, as a port that can be cut off. */
export interface Link {
  readonly port: number;
  /**
   * `reset` ends every connection and refuses new ones. `silent` lets nothing through and says nothing: what is sent
   * waits, new connections are never answered.
   */
  cut(how: 'reset' | 'silent'): void;
  /**
   * What was sent silently arrives, as after retransmission. With `lost`, connections from before the cut stay silent for
   * good, as when a machine or a firewall between has forgotten them.
   */
  heal(options?: { readonly lost?: boolean }): void;
  /** Where new connections lead from now on. */
  pointTo(port: number): void;
  stop(): Promise<void>;
}

type State = 'whole' | 'reset' | 'silent';

export async function openLink(target: number): Promise<Link> {
  let targetPort = target;
  let state: State = 'whole';
  const wires = new Set<Wire>();

  const server = createServer({ pauseOnConnect: true }, (near) => {
    if (state === 'reset') {
      near.resetAndDestroy();
      return;
    }
    const wire = new Wire(near, () => wires.delete(wire));
    wires.add(wire);
    if (state === 'whole') wire.connect(targetPort);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut(how) {
      state = how;
      for (const wire of wires) how === 'reset' ? wire.reset() : wire.hold();
    },
    heal({ lost = false } = {}) {
      state = 'whole';
      for (const wire of wires) {
        if (!wire.isConnected) wire.connect(targetPort);
        else if (lost) wire.forget();
        else wire.release();
      }
    },
    pointTo(port) {
      targetPort = port;
    },
    async stop() {
      for (const wire of wires) wire.reset();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One connection, from its near end at presetd to its far end at the database. */
class Wire {
  readonly #near: Socket;
  readonly #onGone: () => void;
  #far: Socket | undefined;
  #isHeld = false;

  constructor(near: Socket, onGone: () => void) {
    this.#near = near;
    this.#onGone = onGone;
    near.on('error', () => undefined);
    near.on('close', () => this.#closed());
  }

  get isConnected(): boolean {
    return this.#far !== undefined;
  }

  connect(port: number): void {
    const near = this.#near;
    const far = connect(port, '127.0.0.1');
    this.#far = far;
    far.on('error', () => near.resetAndDestroy());
    far.on('close', () => this.#closed());
    near.pipe(far);
    far.pipe(near);
  }

  /** Neither end hears of the other, nor that it has gone. */
  hold(): void {
    this.#isHeld = true;
    this.#near.unpipe();
    this.#far?.unpipe();
    this.#near.pause();
    this.#far?.pause();
  }

  release(): void {
    const far = this.#far;
    if (!this.#isHeld || far === undefined) return;
    this.#isHeld = false;
    if (this.#near.destroyed || far.destroyed) {
      this.#closed();
      return;
    }
    this.#near.pipe(far);
    far.pipe(this.#near);
  }

  /** The database has given the connection up; presetd is told nothing. */
  forget(): void {
    this.#far?.destroy();
  }

  reset(): void {
    this.#isHeld = false;
    this.#near.resetAndDestroy();
    this.#far?.resetAndDestroy();
  }

  #closed(): void {
    if (this.#near.destroyed) this.#onGone();
    if (this.#isHeld) return;
    this.#near.destroy();
    this.#far?.destroy();
  }
}
