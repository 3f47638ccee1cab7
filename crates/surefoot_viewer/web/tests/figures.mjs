// Draws the viewer's pictures for the documents: node tests/figures.mjs FOLDER

import { join } from "node:path";
import { openBrowser, openPage, shown, startViewer } from "./harness.mjs";

/// A picture: the scene, what is shown of it, which tab is open.
const FIGURES = [
  {
    name: "viewer-path", scene: "floors", tab: "path", show: { cut: 8.2 },
    ends: [[20.8, 0, 24.2], [20.8, 6, 24.2]], camera: { target: [12.6, 2.5, 12.6], distance: 36, yaw: 0.55, pitch: 0.8 },
  },
  {
    name: "viewer-stages", scene: "spiral-stairs", tab: "show", show: { colourBy: "random" }, stage: "cut",
  },
  {
    name: "viewer-settings", scene: "city", tab: "build", show: {}, hover: "agent.radius",
  },
];

const folder = process.argv[2] ?? ".";
const { browser, context } = await openBrowser({ width: 1280, height: 720 });
for (const figure of FIGURES) {
  const viewer = await startViewer("--scene-name", figure.scene);
  try {
    const page = await openPage(context, viewer.address);
    await page.evaluate((show) => window.surefoot.show(show), figure.show);
    if (figure.camera) await page.evaluate((camera) => window.surefoot.camera(camera), figure.camera);
    if (figure.ends) {
      await page.evaluate(([from, to]) => window.surefoot.setEnds(from, to), figure.ends);
      await page.waitForFunction(() => window.surefoot.path()?.found);
      // The first search allocates; the time shown is that of a later one.
      await page.evaluate(([from, to]) => window.surefoot.setEnds(from, to), figure.ends);
      await page.waitForTimeout(500);
    }
    await page.click(`[data-testid=tab-${figure.tab}]`);
    if (figure.stage) {
      const stages = await page.evaluate(() => window.surefoot.state().mesh.stages.map((s) => s.name));
      for (let i = stages.length; i > stages.indexOf(figure.stage); i--) await page.keyboard.press("[");
      await page.waitForTimeout(1000);
      await page.evaluate(() => document.querySelector("[data-testid=stage-slider]").scrollIntoView());
    }
    if (figure.hover) await page.hover(`[data-key="${figure.hover}"] label`);
    await shown(page);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `${figure.name}.png`) });
    console.error(`${figure.name}.png drawn`);
    await page.close();
  } finally {
    viewer.stop();
  }
}
await browser.close();
