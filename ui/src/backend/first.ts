import { Channel, invoke } from '@tauri-apps/api/core';
import type { FirstView, Packet } from './bindings';

/** What the shell tells from when it is asked, and what a window begins with. */
interface Stream {
  packets: Channel<Packet>;
  /** What came before anybody listened. */
  held: Packet[];
  view: Promise<FirstView>;
}

let asked: Stream | null = null;

function begin(): Stream {
  const held: Packet[] = [];
  const packets = new Channel<Packet>((packet) => void held.push(packet));
  return { packets, held, view: invoke<FirstView>('stream_open', { packets }) };
}

/** Asks the shell for what the window begins with, whoever takes it. */
export function ask(): void {
  asked = begin();
  // Whoever takes it is told why there is none.
  asked.view.catch(() => undefined);
}

/** Takes what was asked for; where somebody has taken it already, it is asked for anew. Each packet is heard once. */
export function take(hear: (packet: Packet) => void): Promise<FirstView> {
  const { packets, held, view } = asked ?? begin();
  asked = null;
  held.forEach(hear);
  packets.onmessage = hear;
  return view;
}
