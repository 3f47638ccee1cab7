// The tabs of the side panel.

import { byId, el } from "./dom";

export class Tabs {
  private readonly pages = new Map<string, { button: HTMLButtonElement; page: HTMLElement }>();

  add(name: string, title: string, ...content: HTMLElement[]): void {
    const page = el("section", { class: "page", role: "tabpanel", id: `page-${name}` }, ...content);
    const button = el("button", { role: "tab", "data-testid": `tab-${name}`, onclick: () => this.open(name) }, title);
    this.pages.set(name, { button, page });
    byId("tabs").append(button);
    byId("pages").append(page);
    this.open([...this.pages.keys()][0] ?? name);
  }

  open(name: string): void {
    for (const [other, { button, page }] of this.pages) {
      button.setAttribute("aria-selected", String(other === name));
      page.hidden = other !== name;
    }
  }
}
