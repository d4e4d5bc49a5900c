// The stage: camera, light, ground, and rendering only when something changed. Up is against gravity.
import * as THREE from "three";
import {OrbitControls} from "three/examples/jsm/controls/OrbitControls.js";

import {dark} from "./charts.js";

// 1, 2 or 5 times a power of ten.
function round_length(x) {
  const power = 10 ** Math.floor(Math.log10(x)), lead = x / power;
  return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

const grid_vertex = `
varying vec2 at;
void main() {
  at = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const grid_fragment = `
varying vec2 at;
uniform float cell, radius, strength;
uniform vec3 ink;
float lines(float size, float width) {
  vec2 x = at / size, d = abs(fract(x - 0.5) - 0.5) / max(fwidth(x), 1e-6);
  return 1.0 - min(min(d.x, d.y) / width, 1.0);
}
void main() {
  float line = max(0.55 * lines(cell, 1.0), lines(5.0 * cell, 1.3));
  float fade = 1.0 - smoothstep(0.25, 1.0, length(at) / radius);
  gl_FragColor = vec4(ink, line * fade * strength);
}`;

export class Stage {
  /** @param {HTMLCanvasElement} canvas @param {number[]} gravity */
  constructor(canvas, gravity) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({canvas, antialias: true, alpha: true, powerPreference: "low-power"});
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.scene = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => (this.dirty = true));
    // Everything of the robot hangs below this: turned so that gravity points down.
    this.world = new THREE.Group();
    const down = new THREE.Vector3(...gravity);
    if (down.length() > 0) this.world.quaternion.setFromUnitVectors(down.normalize(), new THREE.Vector3(0, 0, -1));
    this.world.updateMatrixWorld();
    this.scene.add(this.world);
    this.light();
    this.lay_ground();
    this.theme();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.theme());
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
  }

  light() {
    // Lights only: an environment map looks a little richer and takes seconds to prepare where there is no GPU.
    this.sky = new THREE.HemisphereLight("#ffffff", "#9aa3ae", 1.6);
    this.sky.position.set(0, 0, 1);
    this.back = new THREE.DirectionalLight("#dfe9ff", 0.7);
    this.back.position.set(-1, 0.9, 0.5);
    this.sun = new THREE.DirectionalLight("#fff4e6", 2.2);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.sky, this.back, this.sun, this.sun.target);
  }

  lay_ground() {
    this.ground = new THREE.Group();
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShaderMaterial({
      vertexShader: grid_vertex,
      fragmentShader: grid_fragment,
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {cell: {value: 1}, radius: {value: 1}, strength: {value: 1}, ink: {value: new THREE.Color()}},
    }));
    this.shade =
        new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShadowMaterial({opacity: 0.22, depthWrite: false}));
    this.shade.receiveShadow = true;
    this.ground.add(this.shade, this.grid);
    this.scene.add(this.ground);
  }

  theme() {
    const night = dark();
    this.sky.intensity = night ? 1.35 : 1.9;
    this.back.intensity = night ? 0.9 : 0.5;
    this.sun.intensity = night ? 1.6 : 1.5;
    this.shade.material.opacity = night ? 0.5 : 0.2;
    this.grid.material.uniforms.ink.value.set(night ? "#8fa0b5" : "#5b6b80");
    this.grid.material.uniforms.strength.value = night ? 0.5 : 0.36;
    this.dirty = true;
  }

  /** Frames a ball around the whole motion; the ground touches what is lowest. Returns the width of a grid cell. */
  fit(centre, radius, lowest) {
    this.home = {centre: centre.clone(), radius};
    const {camera, controls, sun} = this;
    camera.near = radius / 100;
    camera.far = radius * 60;
    controls.minDistance = radius / 10;
    controls.maxDistance = radius * 20;
    sun.position.copy(centre).add(new THREE.Vector3(0.55, -0.75, 1.5).multiplyScalar(2.5 * radius));
    sun.target.position.copy(centre);
    Object.assign(sun.shadow.camera, {
      left: -1.25 * radius,
      right: 1.25 * radius,
      top: 1.25 * radius,
      bottom: -1.25 * radius,
      near: 0.05 * radius,
      far: 8 * radius
    });
    sun.shadow.camera.updateProjectionMatrix();
    sun.shadow.normalBias = 0.004 * radius;
    const cell = round_length(radius / 4), spread = 7 * radius;
    this.ground.position.set(
        Math.round(centre.x / (5 * cell)) * 5 * cell, Math.round(centre.y / (5 * cell)) * 5 * cell,
        lowest - 0.002 * radius);
    for (const plane of [this.grid, this.shade]) {
      plane.geometry.dispose();
      plane.geometry = new THREE.PlaneGeometry(2 * spread, 2 * spread);
    }
    Object.assign(this.grid.material.uniforms.cell, {value: cell});
    Object.assign(this.grid.material.uniforms.radius, {value: spread});
    this.look();
    return cell;
  }

  /** Back to the first view. */
  look() {
    const {camera, controls} = this, {centre, radius} = this.home;
    const half = (camera.fov * Math.PI) / 360, narrow = Math.min(half, Math.atan(Math.tan(half) * camera.aspect));
    const distance = (1.14 * radius) / Math.sin(narrow);
    controls.target.copy(centre);
    camera.position.copy(centre).add(new THREE.Vector3(0.66, -0.9, 0.36).normalize().multiplyScalar(distance));
    controls.update();
    this.dirty = true;
  }

  /** Moves camera and light along. */
  follow(shift) {
    this.camera.position.add(shift);
    this.controls.target.add(shift);
    this.sun.position.add(shift);
    this.sun.target.position.add(shift);
  }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    const before = this.camera.aspect;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.home && Math.abs(before - this.camera.aspect) > 0.25) this.look();
    this.dirty = true;
  }

  render() {
    this.controls.update();
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.scene, this.camera);
  }
}
